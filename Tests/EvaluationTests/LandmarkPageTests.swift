import Execution
import Foundation
import Geometry
import Testing

@testable import Evaluation

@Suite("Landmark pages")
struct LandmarkPageTests {
  private struct Pictures: GalleryImageProvider {
    func picture(of region: Box, in image: AnnotatedImage, side: Int) -> Data? {
      image.name == "gone" ? nil : Data([0x89, 0x50, 0x4E, 0x47])
    }
  }

  private static let normalizer = LandmarkNormalizer.distance([0], [1])

  /// Four points; each face's error is its shift over 40.
  private static func report(_ name: String, shifts: [Double], draws: Int = 2) -> LandmarkReport {
    let truth: [Point?] = [Point(x: 10, y: 10), Point(x: 50, y: 10), Point(x: 30, y: 40), nil]
    let faces = shifts.enumerated().map { index, shift in
      LandmarkComparison(
        name: "face <\(index)>", truth: truth,
        found: truth.map { Point(x: ($0?.x ?? 0) + shift, y: $0?.y ?? 0) })
    }
    func measure(_ points: [Int]? = nil) -> LandmarkMeasure {
      LandmarkMeasure(faces, normalizer: normalizer, points: points)
    }
    var report = LandmarkReport(
      title: name, measures: [("pupils", measure()), ("face size", LandmarkMeasure(faces, normalizer: .faceSize))],
      groups: [("eyes & brows", measure([0, 1])), ("none", measure([3]))],
      perturbations: [0.05, 0.1].map {
        LandmarkPerturbation(kind: .both, size: $0, means: Array(repeating: 0.1, count: draws))
      })
    report.name = name
    report.points = (0..<4).map { measure([$0]) }
    report.faces = faces.map {
      .init(
        image: $0.name == "face <0>" ? "gone" : $0.name, box: Box(x: 0, y: 0, width: 60, height: 60), comparison: $0,
        error: LandmarkMeasure([$0], normalizer: normalizer).mean)
    }
    report.outlines = [.init(points: [0, 1, 2], isClosed: true), .init(points: [2, 3], isClosed: false)]
    report.confidence = [("moved", SeparationMeasure(right: [0.9, 0.8], wrong: [0.1]))]
    return report
  }

  @Test("a page of one model: figures, curves, galleries in order, everything escaped")
  func onePage() throws {
    let page = LandmarkPage(
      title: "A & B", reports: [Self.report("ours", shifts: [2, 0.4, 1.2, 4])],
      data: [.init(name: "set", checksum: "abc")], options: [("boxes", "labelled <all>")], command: "x --y")
    let html = page.html(gallery: Pictures(), options: GalleryOptions(limit: 2), executor: .serial)
    #expect(
      html.contains("<title>A &amp; B</title>") && html.contains("sha256 abc") && html.contains("labelled &lt;all&gt;"))
    #expect(html.contains("eyes &amp; brows") && !html.contains("<0>") && !html.lowercased().contains("nan"))
    // Mean of 0.05, 0.01, 0.03 and 0.1.
    #expect(html.contains("<b>4.75\u{2009}%</b>"))
    #expect(
      page.plots.map(\.title).map { String($0.prefix(12)) } == [
        "Faces whose ", "Faces whose ", "Error with b", "Error by poi", "Confidence: ",
      ])
    let captions = html.components(separatedBy: "<figcaption>").dropFirst(6).map { String($0.prefix { $0 != "<" }) }
    #expect(captions == ["1.00", "3.00", "3.00", "5.00", "10.00", "5.00"].map { "error \($0)\u{2009}%" })
    // The absent point ends its line: only the triangle is drawn.
    #expect(html.contains("class=\"truth\" d=\"M10 10L50 10L30 40Z\""))
    // One of the faces has no picture, and still its points.
    #expect(
      html.components(separatedBy: "<img").count - 1 == 4 && html.components(separatedBy: "<figure><div").count - 1 == 6
    )
    // A gap stays a gap.
    #expect(html.contains("<th scope=\"row\">none</th><td>0</td><td>-</td>"))
  }

  @Test("the cumulative curve's steps end at the threshold")
  func steps() throws {
    let page = LandmarkPage(title: "t", reports: [Self.report("ours", shifts: [2, 0.4, 4, 1.2])])
    let points = page.plots[0].series[0].points
    #expect(points.map(\.y) == [0, 0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75])
    #expect(zip(points.map(\.x), [0, 0.01, 0.01, 0.03, 0.03, 0.05, 0.05, 0.08]).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test("several models overlay their curves and share tables; one without anything to measure does no harm")
  func severalModels() throws {
    var empty = LandmarkReport(
      title: "e", measures: [("pupils", LandmarkMeasure([], normalizer: .faceSize))], groups: [])
    empty.name = "nothing"
    let reports = [Self.report("ours", shifts: [1, 2]), Self.report("theirs", shifts: [0.4, 0.8]), empty]
    let page = LandmarkPage(title: "t", reports: reports)
    #expect(page.plots[0].series.map(\.name) == ["ours", "theirs", "nothing"])
    #expect(page.plots[0].series[2].points.isEmpty)
    let html = page.html(executor: .serial)
    #expect(html.contains("<span class=\"best\">1.50\u{2009}%</span>") && !html.contains("<img"))
    let lines = LandmarkReport.table(reports).split(separator: "\n").map(String.init)
    #expect(lines.count == 4 && lines[1].hasPrefix("ours") && lines[1].contains("3.75"))
    #expect(lines[3].hasPrefix("nothing") && lines[3].contains("-"))
  }
}
