import Detection
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles

extension StoredModel {
  /// What the model is, in lines: its format, its own facts, and where it comes from.
  public var description: String {
    var lines = [format] + facts.map { "  \($0)" }
    if let made = file?.provenance {
      lines.append("  made by: \(made.command)")
      for set in made.dataSets {
        lines.append(
          "  data: \(set.name) (\(set.description), \(set.imageCount) images, sha256 \(set.checksum ?? "-"))")
      }
      lines.append(
        "  seed \(made.seed), commit \(made.commit ?? "-"), date \(made.date ?? "-"), on \(made.machine ?? "-")")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What the model is in a line, as "HOG detector, finds face, with confidences".
  public var headline: String {
    switch content {
    case .detector(let detector):
      let labels = detector.labels.joined(separator: ", ")
      return "\(kind), finds \(labels), \(detector.isCalibrated ? "with confidences" : "scores alone")"
    case .landmarks(let model):
      let named = model.predictor.layout.isEmpty ? "" : " (\(model.predictor.layout))"
      return "\(kind), fits \(model.predictor.pointCount) points\(named)"
    }
  }

  /// The family's name for people: "HOG detector" for the kind `hog-detector`; another tool's format by its own name.
  private var kind: String {
    switch file?.kind {
    case HOGDetector.modelKind: "HOG detector"
    case CascadeDetector.modelKind: "cascade"
    case LandmarkModel.kind: "landmark fitter"
    default: format
    }
  }

  private var facts: [String] {
    switch content {
    case .detector(let detector): detector.summary
    case .landmarks(let model): model.summary
    }
  }

  /// A picture of what the model has learnt; `nil` where its kind has none.
  /// - Throws: `InputError` where the picture would be too large.
  public func picture() throws -> ByteImage? {
    let cells =
      switch content {
      case .detector(let detector): detector.pictures
      case .landmarks(let model): try model.pictures()
      }
    guard let largest = cells.map(\.image).max(by: { $0.width * $0.height < $1.width * $1.height }) else { return nil }
    return try ContactSheet.render(cells, cellSize: largest.size, columns: min(4, cells.count))
  }

  /// The file's kind, version, options and provenance as JSON text; `nil` for other tools' formats.
  public func json() throws -> String? {
    guard let file else { return nil }
    let options = try JSONDecoder().decode(JSONTree.self, from: Data(file.options.utf8))
    let provenance = try JSONDecoder().decode(JSONTree.self, from: JSONEncoder().encode(file.provenance))
    return try StrictJSON.text(
      JSONTree.object([
        "kind": .text(file.kind), "version": .whole(file.version), "options": options,
        "provenance": provenance,
      ]))
  }
}

extension LandmarkModel {
  /// What the fitter is, a line a fact.
  var summary: [String] {
    let named = predictor.layout.isEmpty ? "no named layout" : "layout \(predictor.layout)"
    var lines = [
      "fits \(predictor.pointCount) points, \(named)"
        + (layout.map { ": \($0.groups.map(\.name).joined(separator: ", "))" } ?? "")
    ]
    for (index, level) in predictor.levels.enumerated() {
      lines.append(
        "level \(index + 1): \(level.treeCount) trees of depth \(level.depth), \(level.pool.count) pixels, "
          + (level.basis.isEmpty ? "leaves are shapes" : "leaves are \(level.width) coefficients"))
    }
    for (index, level) in predictor.gradientLevels.enumerated() {
      lines.append("gradient level \(index + 1): \(level.weights.count) weights")
    }
    lines.append(
      (predictor.largestBox.map { "boxes scaled down to \($0) pixels, " } ?? "")
        + "seen around the box: " + (predictor.margin.map { "\($0) sides" } ?? "the whole photo"))
    lines.append(confidence == nil ? "no confidence learnt" : "gives a confidence")
    return lines
  }

  /// The mean shape, where fitting begins, with its groups and the points' numbers; of 68 points also as the 76-point layout
  /// that follows from them.
  func pictures() throws -> [ContactSheet.Cell] {
    let mean = predictor.meanShape
    let shape = (0..<predictor.pointCount).map { Point(x: Double(mean[2 * $0]), y: Double(mean[2 * $0 + 1])) }
    let own = layout ?? (shape.count == 68 ? .ibug68 : nil)
    var cells = [
      ContactSheet.Cell(
        image: try LandmarkDiagram.picture(shape, layout: own),
        caption: "\(own?.name ?? "mean shape"), \(shape.count) points")
    ]
    if own?.name == "ibug68", let regions = LandmarkLayout.named("regions76"), let points = regions.points(from: shape)
    {
      cells.append(
        ContactSheet.Cell(
          image: try LandmarkDiagram.picture(points, layout: regions),
          caption: "\(regions.name), \(points.count) points"))
    }
    return cells
  }
}
