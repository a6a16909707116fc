import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning

/// Tells a shape that lies on a face from one that does not, by what is seen under it.
///
/// The pixels are taken into the mean shape's frame (48 x 48, a border of 0.15 box units around the mean shape), described
/// by HOG (5 x 5 blocks of 2 x 2 cells, 900 values) and judged by a linear SVM whose score is made a probability by Platt
/// scaling. It is learnt from fits that began from right boxes and from boxes beside or off the face.
public struct FitConfidence: Hashable, Sendable {
  public static let featureCount = 900
  static let side = 48
  static let border: Float = 0.15

  public let weights: [Float]
  public let bias: Double
  public let calibration: PlattScaling

  struct Record: Codable, Hashable, Sendable {
    var bias: Double
    var calibration: PlattScaling
  }

  var record: Record { Record(bias: bias, calibration: calibration) }

  init(_ record: Record, weights: [Float]) {
    self.weights = weights
    bias = record.bias
    calibration = record.calibration
  }

  /// Probability in 0...1 that the shape lies on a face.
  func probability(_ plane: GreyPlane, shape: UnsafePointer<Float>, meanShape: [Float]) -> Double {
    calibration.confidence(score(FitConfidence.features(plane, shape: shape, meanShape: meanShape)))
  }

  func score(_ features: [Float]) -> Double {
    LinearSVM(weights: weights, bias: bias).score(of: features)
  }

  /// What is seen under a shape, 900 values.
  static func features(_ plane: GreyPlane, shape: UnsafePointer<Float>, meanShape: [Float]) -> [Float] {
    let points = meanShape.count / 2
    var low = SIMD2(Float.infinity, Float.infinity)
    var high = -low
    var meanCenter = SIMD2<Float>.zero
    var center = SIMD2<Float>.zero
    for k in 0..<points {
      let mean = SIMD2(meanShape[2 * k], meanShape[2 * k + 1])
      low = pointwiseMin(low, mean)
      high = pointwiseMax(high, mean)
      meanCenter += mean / Float(points)
      center += SIMD2(shape[2 * k], shape[2 * k + 1]) / Float(points)
    }
    let turn = meanShape.withUnsafeBufferPointer { Turn(from: $0.baseAddress!, to: shape, count: points) }
    low -= border
    let step = (high + border - low) / Float(side)
    var window = [UInt8](repeating: 0, count: side * side)
    for row in 0..<side {
      for column in 0..<side {
        let d = low + SIMD2(Float(column) + 0.5, Float(row) + 0.5) * step - meanCenter
        let u = center.x + turn.a * d.x - turn.b * d.y
        let v = center.y + turn.b * d.x + turn.a * d.y
        let x = plane.originX + plane.unitX * Double(u)
        let y = plane.originY + plane.unitY * Double(v)
        // False for what is not a number, which then reads the first pixel.
        let px = x > 0 ? min(x, Double(plane.width - 1)) : 0
        let py = y > 0 ? min(y, Double(plane.height - 1)) : 0
        window[row * side + column] = plane.pixels[Int(py) * plane.width + Int(px)]
      }
    }
    return DalalTriggsHOG().descriptor(of: ByteImage(width: side, height: side, channelCount: 1, pixels: window))
  }

  /// Learns from faces: right boxes against boxes shifted by half a side and more, or of half or twice the size.
  ///
  /// A fit counts as right where its mean distance to the true points is at most 0.1 of the mean shape's width (of the box's
  /// side where the points lie closer together than a twentieth of it, as a single one does), as wrong above 0.2; those in
  /// between are left out.
  /// - Parameter starts: fits a face, beside that from its own box.
  /// - Throws: `InputError` where only one kind came about.
  public static func train(
    _ predictor: ShapePredictor, faces: [LandmarkFace], starts: Int = 4, seed: UInt64, executor: ParallelExecutor
  ) throws -> FitConfidence {
    let fits: [[Trial]] = executor.map(faces.count) { index in
      trials(predictor, faces[index], starts: starts, seed: seed, stream: UInt64(index))
    }
    let samples = fits.flatMap { $0 }
    let labels = samples.map(\.isRight)
    guard labels.contains(true), labels.contains(false) else {
      throw InputError(
        source: "confidence", problem: "cannot be learnt: all fits are \(labels.first == true ? "right" : "wrong")",
        hint: "more faces, or a better fitter")
    }
    // Scores for the calibration come from an SVM that has not seen their faces.
    let half = faces.count / 2
    let counts = fits.map(\.count)
    let border = counts[0..<half].reduce(0, +)
    func svm(_ range: Range<Int>) throws -> LinearSVM {
      let matrix = try SampleMatrix(rows: samples[range].map(\.features))
      var random = RandomStream(seed: seed, stream: 0xC0F)
      return try LinearSVMTrainer.train(
        samples: matrix, labels: Array(labels[range]), options: LinearSVMOptions(cost: 0.01), using: &random
      ).svm
    }
    let all = try svm(0..<samples.count)
    var scores = samples.map { all.score(of: $0.features) }
    let parts = [0..<border, border..<samples.count]
    if parts.allSatisfy({ part in Set(labels[part]).count == 2 }) {
      for (part, other) in [(parts[0], parts[1]), (parts[1], parts[0])] {
        let judge = try svm(other)
        for index in part { scores[index] = judge.score(of: samples[index].features) }
      }
    }
    let calibration = try PlattScaling.fit(scores: scores, labels: labels)
    return FitConfidence(Record(bias: all.bias, calibration: calibration), weights: all.weights)
  }

  /// A bound on the bytes that `train` takes: each fit's features, with the two copies that the classifiers learn from.
  public static func memoryBound(faces: Int, starts: Int = 4) -> Double {
    3 * Double(faces) * Double(starts + 1) * Double(featureCount) * 4
  }

  /// One fit of a face from some box, and whether it ended on the face.
  struct Trial: Sendable {
    var features: [Float]
    var isRight: Bool
  }

  static func trials(
    _ predictor: ShapePredictor, _ face: LandmarkFace, starts: Int, seed: UInt64, stream: UInt64
  ) -> [Trial] {
    var random = RandomStream(seed: seed, stream: 0x434F_0000_0000 + stream)
    let (target, absent) = TrainingSamples.target(of: face, meanShape: predictor.meanShape)
    let xs = stride(from: 0, to: target.count, by: 2).map { predictor.meanShape[$0] }
    let extent = Double(xs.max()! - xs.min()!)
    let width = extent > 0.05 ? extent : 1
    var trials: [Trial] = []
    for start in 0...starts {
      var shape = predictor.meanShape
      if start > 0 {
        let scale = Float([0.5, 0.7, 1, 1.4, 2][random.index(below: 5)])
        let distance = 0.5 + 0.7 * random.uniform()
        let angle = 2 * Double.pi * random.uniform()
        let shift = SIMD2(Float(distance * cos(angle)), Float(distance * cos(angle - Double.pi / 2)))
        for k in stride(from: 0, to: shape.count, by: 2) {
          shape[k] = 0.5 + scale * (shape[k] - 0.5) + shift.x
          shape[k + 1] = 0.5 + scale * (shape[k + 1] - 0.5) + shift.y
        }
      }
      face.view.withPlane { plane, _ in
        shape.withUnsafeMutableBufferPointer { buffer in
          predictor.refine(plane, shape: buffer.baseAddress!)
          var sum = 0.0
          var seen = 0
          for k in stride(from: 0, to: target.count, by: 2) where !absent.contains(k) {
            let dx = Double(target[k] - buffer[k])
            let dy = Double(target[k + 1] - buffer[k + 1])
            sum += (dx * dx + dy * dy).squareRoot()
            seen += 1
          }
          let error = seen > 0 ? sum / Double(seen) / width : 1
          if error > 0.1 && error <= 0.2 { return }
          trials.append(
            Trial(
              features: features(plane, shape: UnsafePointer(buffer.baseAddress!), meanShape: predictor.meanShape),
              isRight: error <= 0.1))
        }
      }
    }
    return trials
  }
}
