import Execution
import Geometry
import Imaging
import Testing

@testable import Landmarks

@Suite("Confidence of a fit")
struct FitConfidenceTests {
  @Test(
    "fits within a tenth of the shape's width are right, beyond a fifth wrong, and those between are left out",
    arguments: [(0.09, true), (0.11, nil), (0.19, nil), (0.21, false)] as [(Double, Bool?)])
  func middling(error: Double, isRight: Bool?) throws {
    // Nothing is learnt: a fit ends where it starts, at the mean shape, 0.6 box units wide.
    let mean: [Float] = [0.2, 0.2, 0.8, 0.2, 0.5, 0.8]
    let predictor = ShapePredictor(meanShape: mean, levels: [], border: .replicate, changeFrame: .shape)
    let box = Box(x: 10, y: 10, width: 41, height: 41)
    let points = (0..<3).map {
      BoxFrame(box).point(x: mean[2 * $0] + Float(0.6 * error), y: mean[2 * $0 + 1])
    }
    let image = ByteImage(width: 60, height: 60, channelCount: 1, filledWith: 80)
    let face = try #require(
      LandmarkFace(name: "f", image: image, box: box, points: points, largestBox: nil, margin: nil))
    let trials = FitConfidence.trials(predictor, face, starts: 0, seed: 1, stream: 0)
    #expect(trials.map(\.isRight) == (isRight.map { [$0] } ?? []))
  }

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
