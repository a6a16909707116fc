import Execution
import Foundation
import LinearAlgebra

/// The faces of a training run in box units, and the current shapes of all their samples.
///
/// Sample `s` belongs to face `s / oversampling`. Memory: `8 values` bytes a sample for shapes and residuals.
final class TrainingSamples: @unchecked Sendable {
  let faces: [LandmarkFace]
  let oversampling: Int
  /// Numbers of a shape: two a point.
  let values: Int
  let count: Int
  /// `faces.count x values`; absent points are filled in from the mean shape, fitted to the others.
  let targets: [Float]
  /// For each face the coordinates that are absent; nearly always empty.
  let absent: [[Int]]
  let hasAbsent: Bool
  let meanShape: [Float]
  /// `count x values`.
  let current: UnsafeMutablePointer<Float>
  /// `count x values`: target less current shape, in the level's frame; 0 at absent points.
  let residuals: UnsafeMutablePointer<Float>

  /// Where each sample's face was aligned to last; empty before that.
  private var alignments: [(middle: SIMD2<Float>, turn: Turn)] = []

  /// Every point must be there in one face at least; `ShapePredictorTrainer` sees to it.
  init(_ faces: [LandmarkFace], meanShape: [Float], oversampling: Int) {
    self.faces = faces
    self.oversampling = oversampling
    self.meanShape = meanShape
    values = meanShape.count
    count = faces.count * oversampling
    var targets: [Float] = []
    targets.reserveCapacity(faces.count * values)
    var absent: [[Int]] = []
    for face in faces {
      let (target, missing) = TrainingSamples.target(of: face, meanShape: meanShape)
      targets += target
      absent.append(missing)
    }
    self.targets = targets
    self.absent = absent
    hasAbsent = absent.contains { !$0.isEmpty }
    current = .allocate(capacity: max(1, count * values))
    residuals = .allocate(capacity: max(1, count * values))
    current.initialize(repeating: 0, count: count * values)
    residuals.initialize(repeating: 0, count: count * values)
  }

  deinit {
    current.deallocate()
    residuals.deallocate()
  }

  /// A face's points in box units; absent ones where the mean shape, moved onto the others, has them.
  static func target(of face: LandmarkFace, meanShape: [Float]) -> (values: [Float], absent: [Int]) {
    var target = [Float](repeating: 0, count: meanShape.count)
    var missing: [Int] = []
    var seenMean: [Float] = []
    var seen: [Float] = []
    for (k, point) in face.points.enumerated() {
      guard let point else {
        missing += [2 * k, 2 * k + 1]
        continue
      }
      let place = face.view.pictureFrame.units(point)
      target[2 * k] = place.x
      target[2 * k + 1] = place.y
      seen += [place.x, place.y]
      seenMean += [meanShape[2 * k], meanShape[2 * k + 1]]
    }
    if !missing.isEmpty {
      let n = Float(max(1, seen.count / 2))
      let turn = seen.isEmpty ? Turn.identity : Turn(from: seenMean, to: seen, count: seen.count / 2)
      var from = SIMD2<Float>.zero
      var to = SIMD2<Float>.zero
      for k in 0..<seen.count / 2 {
        from += SIMD2(seenMean[2 * k], seenMean[2 * k + 1]) / n
        to += SIMD2(seen[2 * k], seen[2 * k + 1]) / n
      }
      for k in stride(from: 0, to: missing.count, by: 2) {
        let d = SIMD2(meanShape[missing[k]], meanShape[missing[k + 1]]) - from
        target[missing[k]] = to.x + turn.a * d.x - turn.b * d.y
        target[missing[k + 1]] = to.y + turn.b * d.x + turn.a * d.y
      }
    }
    return (target, missing)
  }

  /// Puts every sample at its start.
  func start(_ options: ShapePredictorOptions) {
    for face in 0..<faces.count {
      var random = RandomStream(seed: options.seed, stream: 0x5747_0000_0000 + UInt64(face))
      for copy in 0..<oversampling {
        let row = current + (face * oversampling + copy) * values
        for k in 0..<values { row[k] = meanShape[k] }
        if copy == 0 && options.start != .jitter { continue }
        if options.start != .jitter && faces.count > 1 {
          var total: Float = 0
          for k in 0..<values { row[k] = 0 }
          for _ in 0..<2 {
            let other = random.index(below: faces.count)
            let weight = Float(random.uniform() + 0.1)
            total += weight
            for k in 0..<values { row[k] += weight * targets[other * values + k] }
          }
          for k in 0..<values { row[k] /= total }
        }
        if options.start != .mixtures { jitter(row, options, &random) }
      }
    }
  }

  private func jitter(
    _ row: UnsafeMutablePointer<Float>, _ options: ShapePredictorOptions, _ random: inout RandomStream
  ) {
    let scale = Float(exp(random.gaussian() * options.startScale))
    let angle = random.gaussian() * options.startRotation * Double.pi / 180
    let turn = Turn(a: scale * Float(cos(angle)), b: scale * Float(sin(angle)))
    let shift = SIMD2(
      Float(random.gaussian() * options.startShift), Float(random.gaussian() * options.startShift))
    // About the box's middle, as a box that is too large or too small is.
    for k in stride(from: 0, to: values, by: 2) {
      let d = SIMD2(row[k] - 0.5, row[k + 1] - 0.5)
      row[k] = 0.5 + turn.a * d.x - turn.b * d.y + shift.x
      row[k + 1] = 0.5 + turn.b * d.x + turn.a * d.y + shift.y
    }
  }

  /// The turn of the mean shape onto a sample's current shape.
  func turn(of sample: Int) -> Turn {
    meanShape.withUnsafeBufferPointer {
      Turn(from: $0.baseAddress!, to: current + sample * values, count: values / 2)
    }
  }

  /// Fills the residuals from the current shapes.
  func computeResiduals(frame: ShapePredictor.ChangeFrame, on executor: ParallelExecutor) {
    targets.withUnsafeBufferPointer { buffer in
      let targets = DisjointBuffer(UnsafeMutableBufferPointer(mutating: buffer))
      executor.forEachChunk(of: count, chunkSize: 512) { range in
        for sample in range {
          let face = sample / oversampling
          let target = targets.base + face * values
          let shape = current + sample * values
          let row = residuals + sample * values
          for k in 0..<values { row[k] = target[k] - shape[k] }
          if frame == .shape {
            let back = turn(of: sample).inverse
            for k in stride(from: 0, to: values, by: 2) {
              let (x, y) = (row[k], row[k + 1])
              row[k] = back.a * x - back.b * y
              row[k + 1] = back.b * x + back.a * y
            }
          }
          for k in absent[face] { row[k] = 0 }
        }
      }
    }
  }

  /// Gradient levels from here on see each face aligned to its sample's shape as it stands.
  func align() {
    alignments = (0..<count).map { sample in
      let shape = current + sample * values
      var middle = SIMD2<Float>.zero
      for k in stride(from: 0, to: values, by: 2) { middle += SIMD2(shape[k], shape[k + 1]) }
      return (middle / Float(values / 2), turn(of: sample))
    }
  }

  /// Aligns a sample's face as the last `align()` found it, and lends its photo.
  func align(_ face: AlignedFace, sample: Int, _ body: (GreyPlane) -> Void) {
    face.align(middle: alignments[sample].middle, turn: alignments[sample].turn)
    faces[sample / oversampling].view.withPlane { plane, _ in body(plane) }
  }

  /// Fills the residuals in the frames that the faces are aligned to.
  func computeAlignedResiduals(on executor: ParallelExecutor) {
    executor.forEachChunk(of: count, chunkSize: 512) { range in
      for sample in range {
        let face = sample / oversampling
        let back = alignments[sample].turn.inverse
        let shape = current + sample * values
        let row = residuals + sample * values
        for k in stride(from: 0, to: values, by: 2) {
          let x = targets[face * values + k] - shape[k]
          let y = targets[face * values + k + 1] - shape[k + 1]
          row[k] = back.a * x - back.b * y
          row[k + 1] = back.b * x + back.a * y
        }
        for k in absent[face] { row[k] = 0 }
      }
    }
  }

  /// The pool's pixels of all samples, pixel after pixel: `pool.count x count` bytes at `output`.
  func readPool(
    _ pool: PixelPool, border: ShapePredictor.Border, to output: UnsafeMutablePointer<UInt8>,
    on executor: ParallelExecutor
  ) {
    let destination = DisjointBuffer(UnsafeMutableBufferPointer(start: output, count: pool.count * count))
    let block = 64
    executor.forEachChunk(of: count, chunkSize: block) { range in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: block * pool.count) { rows in
        for sample in range {
          faces[sample / oversampling].view.withPlane { plane, _ in
            readPixels(
              plane, shape: current + sample * values, turn: turn(of: sample), pool: pool, border: border,
              output: rows.baseAddress! + (sample - range.lowerBound) * pool.count)
          }
        }
        let source = rows.baseAddress!
        for pixel in 0..<pool.count {
          let to = destination.base + pixel * count + range.lowerBound
          for k in 0..<range.count { to[k] = source[k * pool.count + pixel] }
        }
      }
    }
  }

  /// Moves one sample's shape by the level's trees.
  func walk(_ level: ShapeForest, sample: Int, border: ShapePredictor.Border, frame: ShapePredictor.ChangeFrame) {
    let turn = turn(of: sample)
    let shape = current + sample * values
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, level.pool.count)) { pixels in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: level.width + values) { scratch in
        faces[sample / oversampling].view.withPlane { plane, _ in
          readPixels(plane, shape: shape, turn: turn, pool: level.pool, border: border, output: pixels.baseAddress!)
        }
        level.apply(
          UnsafePointer(pixels.baseAddress!), scratch: scratch.baseAddress!, to: shape, values: values,
          turn: frame == .shape ? turn : nil)
      }
    }
  }

  /// The residuals' first `width` principal directions, as rows of `values`.
  func principalDirections(_ width: Int) throws -> [Float] {
    // Every n-th sample, at most 16384, says enough of them.
    let step = max(1, count / 16_384)
    let used = (count + step - 1) / step
    var covariance = [Float](repeating: 0, count: values * values)
    covariance.withUnsafeMutableBufferPointer { c in
      BLAS.gemm(
        transposeA: true, rows: values, columns: values, inner: used, residuals, leadingA: values * step, residuals,
        leadingB: values * step, c.baseAddress!, leadingC: values)
    }
    let vectors = try Matrix(rows: values, columns: values, values: covariance).symmetricEigen().vectors
    return Array(vectors.values[0..<width * values])
  }

  /// The mean over samples and present points of the distance to the target, in box units.
  func meanError(on executor: ParallelExecutor) -> Double {
    let chunk = 1024
    let parts = (count + chunk - 1) / chunk
    var sums = [(Double, Int)](repeating: (0, 0), count: parts)
    sums.withUnsafeMutableBufferPointer { buffer in
      let output = DisjointBuffer(buffer)
      executor.forEach(parts) { part in
        var sum = 0.0
        var seen = 0
        for sample in part * chunk..<min(count, (part + 1) * chunk) {
          let face = sample / oversampling
          let missing = absent[face]
          let row = current + sample * values
          for k in stride(from: 0, to: values, by: 2) where missing.isEmpty || !missing.contains(k) {
            let dx = Double(targets[face * values + k] - row[k])
            let dy = Double(targets[face * values + k + 1] - row[k + 1])
            sum += (dx * dx + dy * dy).squareRoot()
            seen += 1
          }
        }
        output.base[part] = (sum, seen)
      }
    }
    let total = sums.reduce((0.0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    return total.1 > 0 ? total.0 / Double(total.1) : 0
  }
}
