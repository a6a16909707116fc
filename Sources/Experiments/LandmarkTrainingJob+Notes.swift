import Execution
import Foundation
import Landmarks

extension LandmarkFaceSet {
  /// Problems of one kind are told one by one up to this many.
  private static let toldProblems = 20

  /// Says what was found: faces left out, the order of the points, what is absent, how the boxes lie.
  func tell(_ progress: any ProgressSink, name: String) {
    for problem in problems.prefix(Self.toldProblems) { progress.receive(.warning(problem)) }
    if problems.count > Self.toldProblems {
      progress.receive(.warning("\(name): and \(problems.count - Self.toldProblems) more of such problems"))
    }
    progress.receive(.note("\(name): \(Self.order(of: pointNames))"))
    let absent = pointNames.indices.map { k in faces.count { $0.points[k] == nil } }
    if absent.contains(where: { $0 > 0 }) {
      let list = pointNames.indices.filter { absent[$0] > 0 }.map { "\(pointNames[$0]) in \(absent[$0])" }
      progress.receive(
        .note(
          "\(name): labelled absent, so not learnt from there: " + list.prefix(8).joined(separator: ", ")
            + (list.count > 8 ? " faces, and \(list.count - 8) points more" : " faces")))
    }
    guard let spread else { return }
    let turn = spread.rotationDeviation.map { String(format: ", faces are turned by %.1f degrees", $0) } ?? ""
    progress.receive(
      .note(
        String(
          format:
            "%@: boxes on %d of %d faces; they usually lie beside the labelled ones by %.3f of their side across and "
            + "%.3f down, sizes differ by %.0f %%", name, spread.found, spread.found + spread.missed,
          spread.shiftXDeviation, spread.shiftYDeviation, 100 * spread.scaleDeviation) + turn
          + " (standard deviations; startShift, startScale, startRotation train for such)"))
  }

  /// Which point is which part: in a line where parts are counted on from some number, each by each elsewhere.
  static func order(of names: [String]) -> String {
    guard names.count > 1 else { return "one point, the part \(names.joined())" }
    let prefix = names[0].prefix { !("0"..."9").contains($0) }
    let numbers = names.map { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }
    if let first = numbers[0], numbers.indices.allSatisfy({ numbers[$0] == first + $0 }) {
      return
        "points 0 to \(names.count - 1) are the parts \(names[0]) to \(names[names.count - 1]), in the order of their numbers"
    }
    let map = names.enumerated().map { "\($0.offset)=\($0.element)" }.joined(separator: " ")
    return "points in the natural order of the parts' names: \(map)"
  }
}

extension ShapePredictorTrainer.LevelReport {
  /// A line of progress. Errors are mean distances of points, in shares of the face box's side.
  func line(of levels: Int) -> String {
    func percent(_ error: Double) -> String { String(format: "%.3f %%", 100 * error) }
    let held = validationError.map { ", on the validation faces by \(percent($0))" } ?? ""
    return
      "level \(level) of \(levels): points are off by \(percent(trainingError)) of the face box's side in the mean\(held)"
  }
}
