import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import Testing

@testable import Landmarks

@Suite("Gradient levels")
struct GradientLevelTests {
  private static let mean: [Float] = [0.2, 0.2, 0.8, 0.25, 0.5, 0.9]

  /// The histograms by their definition: each value from its own window of its own pixels.
  private static func slowly(
    _ image: ByteImage, frame: BoxFrame, shape: [Float], reading: GradientLevel.Reading
  ) -> [Float] {
    let points = mean.count / 2
    func middle(_ s: [Float], _ axis: Int) -> Double {
      (0..<points).reduce(0) { $0 + Double(s[2 * $1 + axis]) } / Double(points)
    }
    let (mx, my) = (middle(mean, 0), middle(mean, 1))
    let (cx, cy) = (middle(shape, 0), middle(shape, 1))
    let fit = SimilarityTransform.fit(
      from: (0..<points).map { Point(x: Double(mean[2 * $0]), y: Double(mean[2 * $0 + 1])) },
      to: (0..<points).map { Point(x: Double(shape[2 * $0]), y: Double(shape[2 * $0 + 1])) })!
    let reach = Double(reading.grid * reading.cell) / 2 / reading.resolution + 0.1
    let xs = (0..<points).map { Double(mean[2 * $0]) }
    let ys = (0..<points).map { Double(mean[2 * $0 + 1]) }
    let (x0, y0) = (xs.min()! - reach, ys.min()! - reach)
    let width = Int(((xs.max()! + reach - x0) * reading.resolution).rounded(.up))
    let height = Int(((ys.max()! + reach - y0) * reading.resolution).rounded(.up))
    func gray(_ column: Int, _ row: Int) -> Double {
      let c = min(width - 1, max(0, column))
      let r = min(height - 1, max(0, row))
      let dx = x0 + (Double(c) + 0.5) / reading.resolution - mx
      let dy = y0 + (Double(r) + 0.5) / reading.resolution - my
      let at = frame.point(x: Float(cx + fit.a * dx - fit.b * dy), y: Float(cy + fit.b * dx + fit.a * dy))
      let x = min(Double(image.width - 1), max(0, at.x - 0.5))
      let y = min(Double(image.height - 1), max(0, at.y - 0.5))
      let (px, py) = (Int(x), Int(y))
      func pixel(_ a: Int, _ b: Int) -> Double {
        Double(image.pixels[min(image.height - 1, b) * image.width + min(image.width - 1, a)])
      }
      let (fx, fy) = (x - Double(px), y - Double(py))
      let between =
        (1 - fy) * ((1 - fx) * pixel(px, py) + fx * pixel(px + 1, py))
        + fy * ((1 - fx) * pixel(px, py + 1) + fx * pixel(px + 1, py + 1))
      return between.rounded()
    }
    func histogram(_ column: Int, _ row: Int) -> [Double] {
      let c = min(width - 1, max(0, column))
      let r = min(height - 1, max(0, row))
      let dx = gray(c + 1, r) - gray(c - 1, r)
      let dy = gray(c, r + 1) - gray(c, r - 1)
      var bins = [Double](repeating: 0, count: 8)
      if dx == 0 && dy == 0 { return bins }
      let angle = (atan2(dy, dx) / (2 * Double.pi) * 8 + 8).truncatingRemainder(dividingBy: 8)
      let first = Int(angle) % 8
      let second = (first + 1) % 8
      // The gradient as a sum of its two neighbouring directions.
      let (a, b) = (Double(first) * Double.pi / 4, Double(second) * Double.pi / 4)
      let determinant = cos(a) * sin(b) - sin(a) * cos(b)
      bins[first] += (dx * sin(b) - dy * cos(b)) / determinant
      bins[second] += (cos(a) * dy - sin(a) * dx) / determinant
      return bins
    }
    var planes: [[Double]] = []
    for row in 0..<height { for column in 0..<width { planes.append(histogram(column, row)) } }
    func smoothed(_ column: Int, _ row: Int) -> [Double] {
      var sum = [Double](repeating: 0, count: 8)
      let half = reading.cell / 2
      for j in -half...half {
        for i in -half...half {
          let (c, r) = (min(width - 1, max(0, column)) + i, min(height - 1, max(0, row)) + j)
          let plane = planes[min(height - 1, max(0, r)) * width + min(width - 1, max(0, c))]
          for k in 0..<8 { sum[k] += plane[k] / Double(reading.cell * reading.cell) }
        }
      }
      return sum
    }
    var result: [Float] = []
    for k in 0..<points {
      let squared = fit.a * fit.a + fit.b * fit.b
      let (dx, dy) = (Double(shape[2 * k]) - cx, Double(shape[2 * k + 1]) - cy)
      let u = (fit.a * dx + fit.b * dy) / squared + mx - x0
      let v = (fit.a * dy - fit.b * dx) / squared + my - y0
      var values: [Double] = []
      for row in 0..<reading.grid {
        for column in 0..<reading.grid {
          let shift = Double((reading.grid - 1) * reading.cell) / 2
          let x = u * reading.resolution - shift + Double(column * reading.cell) - 0.5
          let y = v * reading.resolution - shift + Double(row * reading.cell) - 0.5
          let (c, r) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
          let (fx, fy) = (x - Double(c), y - Double(r))
          let (a, b) = (smoothed(c, r), smoothed(c + 1, r))
          let (d, e) = (smoothed(c, r + 1), smoothed(c + 1, r + 1))
          for k in 0..<8 {
            values.append((1 - fy) * ((1 - fx) * a[k] + fx * b[k]) + fy * ((1 - fx) * d[k] + fx * e[k]))
          }
        }
      }
      let norm = values.reduce(0) { $0 + $1 * $1 }.squareRoot() + 20
      result += values.map { Float(min(0.25, max(0, $0 / norm))) }
    }
    return result
  }

  /// What is read around each of some shapes in turn, with the face aligned to one.
  private static func read(
    _ face: AlignedFace, _ image: ByteImage, _ frame: BoxFrame, alignedTo shape: [Float], _ shapes: [[Float]],
    spare: Int = 0
  ) -> [[Int16]] {
    image.pixels.withUnsafeBufferPointer { pixels in
      let plane = GreyPlane(
        pixels: pixels.baseAddress!, width: image.width, height: image.height, originX: frame.originX,
        originY: frame.originY, unitX: frame.unitX, unitY: frame.unitY)
      face.align(shape: shape, turn: Turn(from: mean, to: shape, count: 3), spare: spare)
      return shapes.map { shape in
        var found = [Int16](repeating: 0, count: face.featureCount)
        face.read(plane, shape, to: &found)
        return found
      }
    }
  }

  @Test("what is read does not depend on what was read before", arguments: [1, 3, 5], [0, 1, 7])
  func area(cell: Int, spare: Int) {
    var random = RandomStream(seed: UInt64(cell))
    var image = ByteImage(width: 64, height: 48, channelCount: 1, filledWith: 0)
    for k in image.pixels.indices { image.pixels[k] = UInt8(random.index(below: 256)) }
    let frame = BoxFrame(Box(x: 11.5, y: 3.25, width: 37, height: 40))
    let reading = GradientLevel.Reading(resolution: 37, cell: cell, grid: 3)
    for round in 0..<20 {
      // Close together at first, so that little is ready, and then farther off than any map reaches.
      let shapes = [0.05, 0.2, 0.6, 3, 0.1].map { spread in
        Self.mean.map { Float(0.5 + (Double($0) - 0.5) * spread + spread * random.uniform(in: -0.3..<0.3)) }
      }
      let turned = Self.mean.map { $0 + Float(random.uniform(in: -0.1..<0.1)) }
      let face = AlignedFace(reading, meanShape: Self.mean)
      // Something else was there before.
      _ = Self.read(face, image, frame, alignedTo: Self.mean, [shapes[2]], spare: 3)
      let together = Self.read(face, image, frame, alignedTo: turned, shapes, spare: spare)
      for (shape, found) in zip(shapes, together) {
        let alone = Self.read(
          AlignedFace(reading, meanShape: Self.mean), image, frame, alignedTo: turned, [shape], spare: 1000)
        #expect(found == alone[0], "round \(round)")
      }
    }
  }

  @Test("histograms agree with their definition", arguments: [1, 3, 5], [1, 2, 4])
  func oracle(cell: Int, grid: Int) {
    let shape: [Float] = [0.25, 0.14, 0.84, 0.31, 0.46, 0.97]
    let box = Box(x: 6.25, y: 4.5, width: 34, height: 31)
    Self.expectDefinition(cell: cell, grid: grid, shape: shape, width: 50, height: 40, box: box)
  }

  @Test(
    "so do those of points that lie beyond the aligned face's edges: left and below, right and above",
    arguments: [3, 5],
    [[-0.3, 0.1, 0.8, 0.6, 0.5, 1.5], [0.2, 0.6, 1.4, 0.1, 0.4, -0.2]])
  func beyondEdges(cell: Int, shape: [Float]) {
    // The photo goes on beyond those edges.
    let box = Box(x: 48.25, y: 44.5, width: 34, height: 31)
    Self.expectDefinition(cell: cell, grid: 3, shape: shape, width: 130, height: 120, box: box)
  }

  private static func expectDefinition(cell: Int, grid: Int, shape: [Float], width: Int, height: Int, box: Box) {
    var random = RandomStream(seed: UInt64(10 * cell + grid))
    var image = ByteImage(width: width, height: height, channelCount: 1, filledWith: 0)
    for y in 0..<height {
      for x in 0..<width {
        image.pixels[y * width + x] = UInt8(
          128 + 60 * sin(Double(x) / 4) + 50 * cos(Double(y) / 5 + Double(x) / 9) + 8 * random.uniform())
      }
    }
    let frame = BoxFrame(box)
    let reading = GradientLevel.Reading(resolution: 31.3, cell: cell, grid: grid)
    let expected = slowly(image, frame: frame, shape: shape, reading: reading)
    let face = AlignedFace(reading, meanShape: mean)
    let found = read(face, image, frame, alignedTo: shape, [shape])[0]
    #expect(found.count == expected.count)
    // The root is near, to a twentieth: a tenth of the square. The rest is the rounding of pixels.
    let differences = zip(found, expected).map { number, value in
      max(0, abs(pow(Float(number) / 1022, 2) - value) - 0.1 * value)
    }
    let worst = differences.max() ?? 1
    let average = differences.reduce(0, +) / Float(differences.count)
    #expect(worst < 0.02 && average < 1e-3, "worst difference \(worst), mean \(average)")
    #expect(found.allSatisfy { (0...540).contains($0) })
  }

  @Test("whole-number weights give what their values give", arguments: [LeafBits.eight, .sixteen])
  func quantized(bits: LeafBits) {
    var random = RandomStream(seed: 4)
    let reading = GradientLevel.Reading(resolution: 30, cell: 3, grid: 3)
    let count = 3 * 9 * 8
    let level = GradientLevel(
      reading: reading, weights: .float((0..<2 * count).map { _ in Float(random.gaussian()) }), bias: [0.5, -3],
      basis: (0..<12).map { _ in Float(random.gaussian()) })
    let features = (0..<count).map { _ in Int16(random.index(below: 512)) }
    func change(_ level: GradientLevel) -> [Float] {
      var result = [Float](repeating: 0, count: 6)
      level.change(features, values: 6, to: &result)
      return result
    }
    // By hand, in double precision, from the values that are stored.
    let stored = level.quantized(bits: bits)
    let weights = stored.weights.values
    let outputs = (0..<2).map { k in
      (0..<count).reduce(Double(stored.bias[k])) { $0 + Double(features[$1]) * Double(weights[k * count + $1]) }
    }
    for (j, value) in change(stored).enumerated() {
      let expected = (0..<2).reduce(0) { $0 + outputs[$1] * Double(stored.basis[$1 * 6 + j]) }
      #expect(abs(Double(value) - expected) < 1e-4 * max(100, abs(expected)))
    }
    let scale = change(level).reduce(0) { max($0, abs($1)) }
    for (a, b) in zip(change(level), change(stored)) { #expect(abs(a - b) < 0.05 * scale) }
  }

  @Test("a gradient level after the forests lowers the error, is the same for any threads, and is stored")
  func learns() throws {
    var options = ShapePredictorOptions()
    options.levels = 2
    options.leaves = .globalRegression
    options.localTrees = 5
    options.localDepth = 3
    options.localPool = 40
    options.ridge = 0.1
    options.regressionWidth = 8
    options.start = .both
    options.changeFrame = .shape
    options.border = .replicate
    options.oversampling = 6
    let faces = DrawnFaces.training(150, seed: 1)
    let plain = try ShapePredictorTrainer(options).train(faces)
    options.gradients = [.init(resolution: 50, cell: 5, grid: 3, ridge: 0.5, width: 8)]
    let fine = try ShapePredictorTrainer(options, executor: .serial).train(faces)
    #expect(fine.levels == plain.levels)
    let before = DrawnFaces.error(plain, seed: 2, count: 60)
    let after = DrawnFaces.error(fine, seed: 2, count: 60)
    #expect(after < 0.85 * before, "\(after) after \(before)")
    let other = try ShapePredictorTrainer(options, executor: ParallelExecutor(threadCount: 3)).train(faces)
    #expect(other == fine)
    let resumed = try ShapePredictorTrainer(options).train(faces, resuming: plain)
    #expect(resumed == fine)
    let model = LandmarkModel(
      predictor: fine.quantized(bits: .eight), options: options,
      provenance: Provenance(command: "test", dataSets: [], seed: 0))
    let read = try LandmarkModel(ModelFile(bytes: model.modelFile().bytes(), name: "test"))
    #expect(read.predictor == model.predictor)
    #expect(DrawnFaces.error(read.predictor, seed: 2, count: 60) < 1.05 * after)
    var file = try model.modelFile()
    file.tensors["gradient.0.basis"] = nil
    #expect(throws: InputError.self) { try LandmarkModel(file) }
  }
}
