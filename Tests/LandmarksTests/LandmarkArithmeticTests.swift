import Execution
import Foundation
import Geometry
import Imaging
import Testing

@testable import Landmarks

/// Single steps of fitting and training, each by hand.
@Suite("Landmark arithmetic")
struct LandmarkArithmeticTests {
  private static let mean: [Float] = [0.2, 0.2, 0.8, 0.25, 0.5, 0.9, 0.4, 0.5]
  private static let box = Box(x: 10, y: 10, width: 41, height: 41)
  private static let image = ByteImage(width: 60, height: 60, channelCount: 1, filledWith: 80)

  @Test("of an even number of starts the median is the mean of the middle two")
  func evenStarts() throws {
    // Without levels each start is its own end: the mean shape, and the same moved to the right by 0.06 box units.
    let predictor = ShapePredictor(meanShape: Self.mean, levels: [], border: .replicate, changeFrame: .shape)
    let found = try #require(predictor.fit(Self.image, box: Self.box, starts: 2))
    for k in 0..<4 {
      let expected = BoxFrame(Self.box).point(x: Self.mean[2 * k] + 0.03, y: Self.mean[2 * k + 1])
      #expect(found[k].distance(to: expected) < 1e-4, "\(found[k]), not \(expected)")
    }
  }

  @Test("halving takes means of four, rounded to the nearest, halves up")
  func halving() {
    let sums = [0, 1, 2, 3, 4 * 17 + 1, 4 * 17 + 2, 4 * 17 + 3, 4 * 255]
    var image = ByteImage(width: 16, height: 16, channelCount: 1, filledWith: 0)
    for (k, sum) in sums.enumerated() {
      for part in 0..<4 {
        let value = sum / 4 + (part < sum % 4 ? 1 : 0)
        image.pixels[part / 2 * 16 + 2 * k + part % 2] = UInt8(value)
      }
    }
    let view = FaceView(image, box: Box(x: 0, y: 0, width: 16, height: 16), largestBox: 8, margin: nil)
    #expect(view.width == 8 && view.height == 8)
    #expect(Array(view.pixels[0..<8]) == [0, 0, 1, 1, 17, 18, 18, 255])
  }

  @Test("samples far from their faces weigh less, by the power asked for, and 1 in the mean", arguments: [0.0, 1, 2])
  func weights(robustness: Double) {
    let residuals: [Float] = [0.06, 0.08, 0, 0.4, 0.48, 0.64]
    // The first lies nearer than 0.2, which counts as 0.2.
    let expected = [0.2, 0.4, 0.8].map { pow($0, -robustness) }
    let mean = expected.reduce(0, +) / 3
    let found = residuals.withUnsafeBufferPointer {
      GradientRegression.weights($0, values: 2, robustness: robustness)
    }
    for (a, b) in zip(found, expected) { #expect(abs(Double(a) - b / mean) < 1e-5, "\(found)") }
    #expect(found.count == 3)
  }

  @Test("an absent point is filled in where the turned, scaled mean shape has it", arguments: 0..<4)
  func filledIn(absent: Int) throws {
    let turn = SimilarityTransform(
      a: 1.2 * cos(0.5), b: 1.2 * sin(0.5), tx: 0.15, ty: -0.2)
    let places = (0..<4).map {
      turn.apply(Point(x: Double(Self.mean[2 * $0]), y: Double(Self.mean[2 * $0 + 1])))
    }
    var points: [Point?] = places.map { BoxFrame(Self.box).point(x: Float($0.x), y: Float($0.y)) }
    points[absent] = nil
    let face = try #require(
      LandmarkFace(name: "f", image: Self.image, box: Self.box, points: points, largestBox: nil, margin: nil))
    let (values, missing) = TrainingSamples.target(of: face, meanShape: Self.mean)
    #expect(missing == [2 * absent, 2 * absent + 1])
    for k in 0..<4 {
      #expect(abs(Double(values[2 * k]) - places[k].x) < 1e-5 && abs(Double(values[2 * k + 1]) - places[k].y) < 1e-5)
    }
  }

  @Test("jittered starts are turned, scaled and shifted as much as the options say")
  func jitter() throws {
    func samples(_ change: (inout ShapePredictorOptions) -> Void) throws -> [(turn: Turn, shift: SIMD2<Float>)] {
      var options = ShapePredictorOptions()
      (options.start, options.startShift, options.startScale, options.startRotation) = (.jitter, 0, 0, 0)
      change(&options)
      let face = try #require(
        LandmarkFace(
          name: "f", image: Self.image, box: Self.box,
          points: (0..<4).map { BoxFrame(Self.box).point(x: Self.mean[2 * $0], y: Self.mean[2 * $0 + 1]) },
          largestBox: nil, margin: nil))
      let samples = TrainingSamples([face], meanShape: Self.mean, oversampling: 2000)
      samples.start(options)
      return (0..<2000).map { sample in
        let row = samples.current + 8 * sample
        // Where the box's middle has gone, by the turn about it.
        let turn = samples.turn(of: sample)
        let d = SIMD2(Self.mean[0] - 0.5, Self.mean[1] - 0.5)
        let moved = SIMD2(turn.a * d.x - turn.b * d.y, turn.b * d.x + turn.a * d.y)
        return (turn, SIMD2(row[0] - 0.5, row[1] - 0.5) - moved)
      }
    }
    func deviation(_ values: [Double]) -> Double {
      (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }
    let still = try samples { _ in }
    #expect(still.allSatisfy { abs($0.turn.a - 1) < 1e-5 && abs($0.turn.b) < 1e-5 })
    let turned = try samples { $0.startRotation = 20 }
    let degrees = turned.map { atan2(Double($0.turn.b), Double($0.turn.a)) * 180 / Double.pi }
    #expect(abs(deviation(degrees) - 20) < 1.5, "\(deviation(degrees))")
    #expect(degrees.contains { $0 > 10 } && degrees.contains { $0 < -10 })
    let scaled = try samples { $0.startScale = 0.2 }.map { log(Double($0.turn.a)) }
    #expect(abs(deviation(scaled) - 0.2) < 0.015, "\(deviation(scaled))")
    let shifted = try samples { $0.startShift = 0.1 }
    for axis in 0..<2 {
      let found = deviation(shifted.map { Double($0.shift[axis]) })
      #expect(abs(found - 0.1) < 0.008, "\(found)")
    }
  }

  @Test("the bound on memory counts the model twice: itself and the copy that is written as a checkpoint")
  func memory() throws {
    func bound(_ change: (inout ShapePredictorOptions) -> Void) throws -> Double {
      var options = ShapePredictorOptions()
      change(&options)
      return try ShapePredictorTrainer(options).memoryBound(faces: 10, points: 68)
    }
    // 500 trees of 16 leaves of 136 floats, in each of 10 levels; the least that their splits take is 15 of 6 bytes.
    let trees = Double(10 * 500 * (16 * 136 * 4 + 15 * 6))
    let more = try bound { $0.trees = 1000 } - bound { $0.trees = 500 }
    #expect(more >= 2 * trees && more < 2.1 * trees, "\(more) bytes for \(trees) twice")
    // A second gradient level adds its weights and nothing else.
    func gradients(_ count: Int, neighbours: Int) throws -> Double {
      try bound {
        $0.levels = 0
        $0.gradients = Array(repeating: .init(grid: 2, width: 20, neighbours: neighbours), count: count)
      }
    }
    let features = 68 * 4 * 8
    #expect(try gradients(2, neighbours: 0) - gradients(1, neighbours: 0) == Double(2 * features * 20 * 4))
    #expect(try gradients(2, neighbours: 17) - gradients(1, neighbours: 17) == Double(2 * features / 4 * 136 * 4))
  }
}
