import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

@Suite("Landmark training jobs")
struct LandmarkTrainingJobTests {
  @Test(
    "parts named 0...10 and 00...10, in the order of letters in the file, are taken in natural order and the order is told",
    arguments: [(0...10).map(String.init), ["00"] + (1...10).map { $0 < 10 ? "0\($0)" : "\($0)" }])
  func naturalOrder(names: [String]) throws {
    let folder = try SpotFolder()
    let letters = names.indices.sorted { names[$0] < names[$1] }
    try folder.write(count: 25, names: names, order: letters)
    let notes = RecordedProgress()
    let model = try SmallTraining.run(
      LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: SmallTraining.options),
      progress: notes)
    // The mean shape goes around the circle, point after point.
    let mean = model.predictor.meanShape
    for k in 0..<11 {
      let angle = atan2(Double(mean[2 * k + 1]) - 0.5, Double(mean[2 * k]) - 0.5)
      let expected = 2 * Double.pi * Double(k) / 11
      #expect(cos(angle - expected) > 0.9, "point \(k) lies at \(angle)")
    }
    #expect(notes.told.contains("points 0 to 10 are the parts \(names[0]) to 10, in the order of their numbers"))
  }

  @Test("parts that a box lacks are absent: told, and not learnt from")
  func absentParts() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c", "d"], absent: { $0 % 3 == 0 ? 2 : nil })
    let dataset = try folder.dataset()
    #expect(dataset.problems.contains { $0.message.contains("10 boxes lack some of the file's 4 parts") })
    let notes = RecordedProgress()
    let job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: SmallTraining.options)
    let model = try SmallTraining.run(job, progress: notes)
    #expect(notes.told.contains("labelled absent, so not learnt from there: c in 10 faces"))
    // Not an average with anything: point c is where the faces that have it have it.
    let whole = try SpotFolder()
    try whole.write(count: 30, names: ["a", "b", "c", "d"])
    let other = try SmallTraining.run(
      LandmarkTrainingJob(training: try whole.dataset(), boxes: .annotated, options: SmallTraining.options))
    for k in 0..<8 { #expect(abs(model.predictor.meanShape[k] - other.predictor.meanShape[k]) < 0.03) }
    let report = try LandmarkRun(model: model, executor: .serial).report(dataset, boxes: .annotated)
    #expect(report.points.map(\.errors.count) == [30, 30, 20, 30])
  }

  @Test("one face, one point and boxes half outside go through")
  func smallSets() throws {
    for (count, names, shift) in [(1, ["a", "b", "c"], 0.0), (25, ["a"], 0), (12, ["a", "b"], -30)] {
      let folder = try SpotFolder()
      try folder.write(count: count, names: names, shift: shift)
      for leaves in [ShapePredictorOptions.Leaves.boosted, .globalRegression] {
        var options = SmallTraining.options
        options.leaves = leaves
        options.poolPadding = names.count == 1 ? 0.2 : 0
        options.localTrees = 3
        options.localDepth = 2
        options.localPool = 20
        options.regressionWidth = 4
        let dataset = try folder.dataset()
        let job = LandmarkTrainingJob(training: dataset, boxes: .annotated, options: options)
        let model = try SmallTraining.run(job)
        let read = try LandmarkModel(ModelFile(bytes: try model.modelFile().bytes(), name: "test"))
        let report = try LandmarkRun(model: read, executor: .serial).report(
          dataset, boxes: .annotated, perturbations: .init(sizes: [0.1], draws: 2))
        #expect(report.points[0].errors.count == (names.count == 1 ? 0 : count))
        let found = try LandmarkRun(model: read, executor: .serial).landmarks(
          of: try dataset.image(at: 0), name: "0", boxes: [dataset.images[0].annotations[0].box])
        #expect(found.faces.count == 1 && found.faces[0].points.allSatisfy { $0.allSatisfy(\.isFinite) })
      }
    }
  }

  @Test("many faces in pictures of one colour make a model without a confidence, and a warning")
  func oneColour() throws {
    let folder = try SpotFolder()
    let boxes = (0..<24).map { index in
      let parts = [(12, 12), (20, 12), (16, 18), (13, 22)].enumerated().map { k, point in
        "<part name='\(k)' x='\(point.0 + (index + k) % 2)' y='\(point.1 + (index + 2 * k) % 3 % 2)'/>"
      }
      return "<box left='\(5 + index % 3)' top='\(5 + index % 2)' width='20' height='20'>\(parts.joined())</box>"
    }
    try AtomicFile.write(
      "<dataset><images>" + boxes.indices.map { "<image file='g\($0).png'>\(boxes[$0])</image>" }.joined()
        + "</images></dataset>", to: folder.path + "/faces.xml")
    for index in boxes.indices {
      let grey = ByteImage(width: 40, height: 40, channelCount: 3, filledWith: UInt8(70 + index))
      try ImageFile.write(grey, to: folder.path + "/g\(index).png")
    }
    let notes = RecordedProgress()
    let model = try SmallTraining.run(
      LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: SmallTraining.options),
      progress: notes)
    #expect(model.confidence == nil && notes.told.contains("no confidence is learnt"))
  }

  @Test("a picture of 16 bits and one of colour give the points of the grey one")
  func depths() throws {
    let folder = try SpotFolder()
    try folder.write(count: 30, names: ["a", "b", "c"])
    let dataset = try folder.dataset()
    let model = try SmallTraining.run(
      LandmarkTrainingJob(training: dataset, boxes: .annotated, options: SmallTraining.options))
    let grey = SpotFolder.picture(SpotFolder.spots(5, count: 3))
    var sixteen = Data("P5\n56 56\n65535\n".utf8)
    for value in grey.pixels { sixteen += [value, value] }
    try AtomicFile.write(sixteen, to: folder.path + "/sixteen.pgm")
    try ImageFile.write(grey.rgb(), to: folder.path + "/colour.png")
    let run = LandmarkRun(model: model, executor: .serial)
    let boxes = [dataset.images[5].annotations[0].box]
    let expected = try run.landmarks(of: grey, name: "", boxes: boxes).faces
    for name in ["sixteen.pgm", "colour.png"] {
      let image = try ImageFile.read("\(folder.path)/\(name)").image
      #expect(try run.landmarks(of: image, name: "", boxes: boxes).faces == expected, "\(name)")
    }
  }

  @Test("the order of the parts is told in a line where they are counted on, one by one elsewhere")
  func orders() {
    #expect(
      LandmarkFaceSet.order(of: (1...68).map(String.init))
        == "points 0 to 67 are the parts 1 to 68, in the order of their numbers")
    #expect(LandmarkFaceSet.order(of: ["p8", "p9", "p10"]).hasPrefix("points 0 to 2 are the parts p8 to p10,"))
    #expect(LandmarkFaceSet.order(of: ["tip"]) == "one point, the part tip")
    for names in [["0", "1", "3"], ["a", "b"], ["1", "a2"], ["p1", "q2"], ["", "1"], ["x", "x0"]] {
      let map = names.indices.map { "\($0)=\(names[$0])" }.joined(separator: " ")
      #expect(LandmarkFaceSet.order(of: names).hasSuffix("parts' names: \(map)"), "\(names)")
    }
  }

  @Test("a level's line has its errors in percent of the box's side")
  func levelLines() throws {
    func line(_ json: String) throws -> String {
      try JSONDecoder().decode(ShapePredictorTrainer.LevelReport.self, from: Data(json.utf8)).line(of: 5)
    }
    #expect(
      try line(#"{"level": 2, "trainingError": 0.0312345}"#)
        == "level 2 of 5: points are off by 3.123 % of the face box's side in the mean")
    #expect(
      try line(#"{"level": 5, "trainingError": 2.5818855e-07, "validationError": 0.05}"#)
        == "level 5 of 5: points are off by 0.000 % of the face box's side in the mean, on the validation faces by 5.000 %"
    )
  }
}
