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

@Suite("Options of landmark trainings")
struct LandmarkTrainingOptionsTests {
  @Test(
    "options that cannot be are told by name",
    arguments: [
      ("shrinkage", "nan"), ("shrinkage", "inf"), ("shrinkage", "0"), ("trees", "0"), ("trees", "1e18"),
      ("levels", "99999999999999999999"), ("levels", "-1"), ("depth", "0"), ("depth", "63"), ("poolSize", "1"),
      ("oversampling", "0"), ("pixelDistance", "0"), ("ridge", "1e300"), ("ridge", "-1"),
      ("gradients[0].ridge", "1e300"),
      ("localRadiusFirst", "1e300"), ("localRadiusLast", "0"), ("regressionWidth", "-5"), ("gradients[0].cell", "4"),
      ("gradients[0].resolution", "0"), ("gradients[0].alignsAnew", "false"), ("seed", "-1"), ("start", "5"),
      ("leaves", "none"), ("trees", "true"),
    ])
  func options(name: String, value: String) throws {
    let (option, given) =
      name.hasPrefix("gradients[0].")
      ? ("gradients", "[{\"\(name.dropFirst("gradients[0].".count))\": \(value)}]") : (name, value)
    let error = SmallTraining.error {
      _ = try ShapePredictorOptions().replacing([(option, given)], source: "--set")
      throw CancelledError()
    }
    #expect(error?.field == name, "\(name)=\(value): \(error as Any)")
  }

  @Test(
    "what would take more memory than the machine has, or more pixels than can be named, is told before it is taken")
  func hugeOptions() throws {
    let folder = try SpotFolder()
    try folder.write(count: 3, names: (0..<68).map(String.init))
    var options = ShapePredictorOptions()
    options.levels = 100
    options.trees = 100_000
    options.depth = 8
    options.oversampling = 10_000
    options.poolSize = 65_535
    var job = LandmarkTrainingJob(training: try folder.dataset(), boxes: .annotated, options: options)
    #expect(SmallTraining.error { try SmallTraining.run(job) }?.problem.contains("more memory") == true)
    // 80 points of 900 pixels each are more than 16 bits count.
    let many = try SpotFolder()
    try many.write(count: 2, names: (0..<80).map(String.init))
    options = .face
    options.localPool = 900
    options.levels = 1
    options.gradients = []
    options.oversampling = 2
    job = LandmarkTrainingJob(training: try many.dataset(), boxes: .annotated, options: options)
    #expect(SmallTraining.error { try SmallTraining.run(job) }?.field == "localPool")
  }

  @Test("options: names, kinds and ranges are checked")
  func settings() throws {
    let options = ShapePredictorOptions()
    #expect(try options.replacing([("trees", "42")], source: "test").trees == 42)
    #expect(try options.replacing([("leaves", "globalRegression")], source: "test").leaves == .globalRegression)
    #expect(throws: InputError.self) { try options.replacing([("tree", "42")], source: "test") }
    #expect(throws: InputError.self) { try options.replacing([("trees", "many")], source: "test") }
    #expect(throws: InputError.self) { try options.replacing([("trees", "0")], source: "test") }
    // Neither alone can be used: no levels at all, whatever comes first.
    for settings in [[("gradients", "[]"), ("levels", "3")], [("levels", "3"), ("gradients", "[]")]] {
      #expect(try ShapePredictorOptions.face.replacing(settings, source: "test").levels == 3)
    }
    #expect(throws: InputError.self) { try options.replacing(Data("[1]".utf8), source: "test") }
  }

  @Test(
    "what a setting holds is told by its place, in no words of Swift's",
    arguments: [
      (#"gradients=[{"grid": "a"}]"#, #"gradients[0].grid: is of the wrong kind: found "a", expected a whole number"#),
      ("gradients=[1]", "gradients[0]: is of the wrong kind: found 1, expected an object"),
      ("gradients=[", "--set gradients:1: is no JSON: found the end of the file"),
      (#"gradients=[{"gird": 3}]"#, "gradients[0].gird: means nothing here"),
      (#"gradients={"a": 1}"#, "gradients: is of the wrong kind: found an object, expected a list"),
      (#"gradients=[{"grid": 3.5}]"#, "gradients[0].grid: holds a number that does not fit its place: found 3.5"),
      ("gradients=null", #"gradients: is of the wrong kind: found "null", expected a list"#),
      (
        "start=left", #"start: is not a word that is known here: found "left", expected "mixtures", "jitter" or "both""#
      ),
      ("trees=[1]", "trees: is of the wrong kind: found a list, expected a whole number"),
      ("trees=true", "trees: is of the wrong kind: found true, expected a whole number"),
      ("shrinkage=abc", #"shrinkage: is of the wrong kind: found "abc", expected a number"#),
      ("seed=1.5", "seed: holds a number that does not fit its place: found 1.5"),
    ])
  func places(setting: String, part: String) throws {
    let halves = setting.split(separator: "=", maxSplits: 1).map(String.init)
    let error = #expect(throws: InputError.self) {
      try ShapePredictorOptions.face.replacing([(halves[0], halves[1])], source: "--set")
    }
    #expect(error.map { "\($0)".contains(part) } == true, "\(error.map { "\($0)" } ?? "-")")
  }
}
