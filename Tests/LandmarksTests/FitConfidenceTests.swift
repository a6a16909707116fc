import Execution
import Testing

@testable import Landmarks

@Suite("Confidence of a fit")
struct FitConfidenceTests {
  @Test("it tells fits that lie on drawn faces from fits that do not")
  func separates() throws {
    var options = ShapePredictorOptions()
    options.levels = 4
    options.trees = 40
    options.depth = 3
    options.oversampling = 6
    options.poolSize = 100
    let predictor = try ShapePredictorTrainer(options).train(DrawnFaces.training(120, seed: 1))
    let confidence = try FitConfidence.train(
      predictor, faces: DrawnFaces.training(120, seed: 1), seed: 1, executor: .serial)
    let trials = DrawnFaces.training(60, seed: 77).enumerated().flatMap {
      FitConfidence.trials(predictor, $1, starts: 4, seed: 9, stream: UInt64($0))
    }
    let right = trials.filter(\.isRight).map { confidence.score($0.features) }
    let wrong = trials.filter { !$0.isRight }.map { confidence.score($0.features) }
    #expect(right.count > 20 && wrong.count > 20)
    // The area under the ROC curve: the share of pairs in the right order.
    let pairs = right.reduce(0) { sum, score in sum + wrong.count { $0 < score } }
    let area = Double(pairs) / Double(right.count * wrong.count)
    #expect(area > 0.95, "area \(area)")
  }
}
