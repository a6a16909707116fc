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
}
