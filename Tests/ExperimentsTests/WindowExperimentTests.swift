import Evaluation
import Execution
import Experiments
import Foundation
import Geometry
import Imaging
import Testing

/// An experiment by windows writes the scores, the figures and the curve, and they agree.
struct WindowExperimentTests {
  /// Noise, with a bright cross in the middle or without.
  private func picture(cross: Bool, seed: UInt64) -> ByteImage {
    var random = RandomStream(seed: seed, stream: cross ? 1 : 2)
    let side = cross ? 48 : 72
    return ByteImage(
      width: side, height: side, channelCount: 1,
      pixels: (0..<side * side).map { place in
        let (row, column) = (place / side, place % side)
        let isInside = cross && (abs(row - side / 2) < 3 || abs(column - side / 2) < 3)
        return UInt8(random.uniform(in: 0..<60)) + (isInside ? 150 : 40)
      })
  }

  private func write(below folder: String) throws {
    var lines = ""
    for index in 0..<12 {
      try ImageFile.write(picture(cross: true, seed: UInt64(index)), to: "\(folder)/crosses/\(index).png")
      lines += #"{"image":"crosses/\#(index).png","width":48,"height":48,"#
      lines += #""annotations":[{"box":[8,8,32,32],"label":"cross"}]}"# + "\n"
    }
    try AtomicFile.write(lines, to: "\(folder)/crosses.jsonl")
    for index in 0..<6 {
      try ImageFile.write(picture(cross: false, seed: UInt64(index)), to: "\(folder)/noise/\(index).png")
    }
  }

  @Test func scoresFiguresAndCurveAgree() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write(below: folder)
    let options = """
      {"features": {"felzenszwalb": {"cellSize": 8}}, "colour": "grey", "windowSize": {"width": 32, "height": 32},
       "objectRegion": [0, 0, 1, 1], "components": [{"name": "cross", "label": "cross"}], "rounds": 1,
       "randomNegatives": 50}
      """
    let source = #"[{"data": "jsonl:\#(folder)/crosses.jsonl"}]"#
    let negatives = #"["folder:\#(folder)/noise"]"#
    let configuration = try StrictJSON.decode(
      ExperimentConfiguration.self,
      from: Data(
        """
        {"title": "Crosses", "purpose": "Test.",
         "train": {"positives": \(source), "negatives": \(negatives), "options": \(options)},
         "windows": [{"name": "all", "positives": \(source), "negatives": \(negatives), "rates": [0.01, 0.1]}]}
        """.utf8), source: "test")
    let output = "\(folder)/out"
    let (result, report) = try ExperimentRunner(
      configuration: configuration, output: output, record: RunRecord(command: "test")
    ).run()

    let scores = try StrictJSON.read(WindowProtocol.self, path: "\(output)/all.scores.json")
    #expect(scores.positiveScores.count == 12)
    #expect(scores.negativeWindowCount > 6 * 36)
    #expect(result.figures.map(\.name) == ["all.missRate@0.01", "all.missRate@0.1"])
    #expect(result.figures.map(\.value) == [0.01, 0.1].map { scores.missRate(falsePositivesPerWindow: $0) })
    // Crosses are easy: a curve that says otherwise was not made from these scores.
    #expect(result.figures[0].value == 0)
    let figures = try String(contentsOfFile: "\(output)/all.json", encoding: .utf8)
    #expect(figures.contains("windhover-windows"))
    #expect(figures.contains("\"negative_windows\": \(scores.negativeWindowCount)"))
    #expect(try String(contentsOfFile: "\(output)/all.svg", encoding: .utf8).contains("<svg"))
    #expect(report.contains("miss rate at 0.01 FPPW"))
  }
}
