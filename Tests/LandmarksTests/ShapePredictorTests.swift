import Execution
import Foundation
import Geometry
import Imaging
import ModelFiles
import Testing

@testable import Landmarks

@Suite("Fitting landmarks")
struct ShapePredictorTests {
  private static func forest(
    _ random: inout RandomStream, trees: Int, depth: Int, pool: Int, width: Int, values: Int, scale: Double = 0.02
  ) -> ShapeForest {
    let splits = (0..<trees * (1 << depth - 1)).map { _ in
      PixelDifferenceSplit(
        first: UInt16(random.index(below: pool)), second: UInt16(random.index(below: pool)),
        threshold: Int16(random.index(below: 128) - 64))
    }
    func floats(_ count: Int, _ scale: Double) -> [Float] { (0..<count).map { _ in Float(scale * random.gaussian()) } }
    return ShapeForest(
      pool: PixelPool(
        anchors: (0..<pool).map { _ in UInt16(random.index(below: values / 2)) }, offsetX: floats(pool, 0.2),
        offsetY: floats(pool, 0.2)), depth: depth, treeCount: trees, splits: splits,
      leaves: .float(floats(trees * (1 << depth) * width, scale)), width: width,
      basis: width == values ? [] : floats(width * values, 1))
  }

  @Test("walking trees in step agrees with walking each alone", arguments: [1, 2, 3, 5, 8], [1, 3, 4, 7, 13])
  func trees(depth: Int, count: Int) {
    var random = RandomStream(seed: UInt64(100 * depth + count))
    let level = Self.forest(&random, trees: count, depth: depth, pool: 30, width: 6, values: 6)
    let pixels = (0..<30).map { _ in UInt8(random.index(below: 256)) }
    var expected = [Float](repeating: 0, count: 6)
    for tree in 0..<count {
      var node = 0
      let size = 1 << depth - 1
      while node < size {
        let split = level.splits[tree * size + node]
        let difference = Int(pixels[Int(split.first)]) - Int(pixels[Int(split.second)])
        node = difference > Int(split.threshold) ? 2 * node + 1 : 2 * node + 2
      }
      for k in 0..<6 { expected[k] += level.leaves.values[(tree * (size + 1) + node - size) * 6 + k] }
    }
    var sums = [Float](repeating: 0, count: 6)
    level.addLeaves(pixels, to: &sums)
    #expect(sums == expected)
    for (bits, tolerance) in [(LeafBits.sixteen, Float(1e-4)), (.eight, 1e-2)] {
      var stored = [Float](repeating: 0, count: 6)
      level.quantized(bits: bits).addLeaves(pixels, to: &stored)
      #expect(zip(stored, expected).allSatisfy { abs($0 - $1) < tolerance }, "\(bits): \(stored), not \(expected)")
    }
  }

  @Test("8-bit leaves do not overflow over many trees")
  func manyTrees() {
    let trees = 700
    let split = PixelDifferenceSplit(first: 0, second: 0, threshold: 0)
    let level = ShapeForest(
      pool: PixelPool(anchors: [0], offsetX: [0], offsetY: [0]), depth: 1, treeCount: trees,
      splits: Array(repeating: split, count: trees),
      leaves: .int8(Array(repeating: -128, count: trees * 2 * 2), scale: 0.5), width: 2)
    var sums: [Float] = [0, 0]
    level.addLeaves([9], to: &sums)
    let expected: [Float] = [-44_800, -44_800]
    #expect(sums == expected)
  }

  @Test("a turn is found again, and a single place gives none")
  func turn() {
    let source: [Float] = [0, 0, 1, 0, 0.3, 0.9, -0.4, 0.2]
    let turned = stride(from: 0, to: 8, by: 2).flatMap { k -> [Float] in
      [0.8 * source[k] - 0.3 * source[k + 1] + 5, 0.3 * source[k] + 0.8 * source[k + 1] - 2]
    }
    let found = Turn(from: source, to: turned, count: 4)
    #expect(abs(found.a - 0.8) < 1e-5 && abs(found.b - 0.3) < 1e-5)
    let same = Turn(from: [1, 1, 1, 1], to: [0, 0, 3, 4], count: 2)
    #expect(same.a == 1 && same.b == 0)
  }

  @Test("pixels are those under the turned offsets; outside they are black or the nearest")
  func pixels() {
    var random = RandomStream(seed: 4)
    let image = (0..<35).map { _ in UInt8(random.index(below: 255) + 1) }
    let turn = SimilarityTransform(a: 0.9, b: -0.4, tx: 0, ty: 0)
    let shape: [Float] = [0.3, 0.4, 0.8, 0.6]
    let anchors: [UInt16] = (0..<200).map { _ in UInt16(random.index(below: 2)) }
    let x = (0..<200).map { _ in Float(random.gaussian() * 0.5) }
    let y = (0..<200).map { _ in Float(random.gaussian() * 0.5) }
    var outside = 0
    for border in [ShapePredictor.Border.zero, .replicate] {
      var output = [UInt8](repeating: 0, count: 200)
      image.withUnsafeBufferPointer {
        readPixels(
          GreyPlane(pixels: $0.baseAddress!, width: 7, height: 5, originX: 0.5, originY: 1, unitX: 6, unitY: 4),
          shape: shape, turn: Turn(a: 0.9, b: -0.4), anchors: anchors, offsetX: x, offsetY: y, count: 200,
          border: border, output: &output)
      }
      for k in 0..<200 {
        let offset = turn.apply(Point(x: Double(x[k]), y: Double(y[k])))
        let u = offset.x + Double(shape[2 * Int(anchors[k])])
        let v = offset.y + Double(shape[2 * Int(anchors[k]) + 1])
        let (px, py) = (0.5 + 6 * u, 1 + 4 * v)
        // Places that rounding could put on either side are left out.
        if abs(px - px.rounded()) < 1e-4 || abs(py - py.rounded()) < 1e-4 { continue }
        let (column, row) = (Int(px.rounded(.down)), Int(py.rounded(.down)))
        let isInside = (0..<7).contains(column) && (0..<5).contains(row)
        if !isInside { outside += 1 }
        let nearest = image[min(4, max(0, row)) * 7 + min(6, max(0, column))]
        #expect(output[k] == (isInside || border == .replicate ? nearest : 0), "pixel \(k)")
      }
    }
    #expect(outside > 50)
  }

  @Test("a shape that is not a number gives no fit and does not stop")
  func notANumber() {
    var random = RandomStream(seed: 5)
    let level = Self.forest(&random, trees: 4, depth: 2, pool: 8, width: 4, values: 4)
    let mean: [Float] = [.nan, 1e30, -1e30, .infinity]
    for border in [ShapePredictor.Border.zero, .replicate] {
      let predictor = ShapePredictor(meanShape: mean, levels: [level], border: border, changeFrame: .box)
      let image = ByteImage(width: 5, height: 5, channelCount: 1, filledWith: 3)
      #expect(predictor.fit(image, box: Box(x: 0, y: 0, width: 4, height: 4)) == nil)
      #expect(predictor.fit(image, box: Box(x: 0, y: 0, width: 4, height: 4), starts: 3) == nil)
    }
  }

  @Test("boxes that are none, pictures without pixels, boxes outside")
  func badBoxes() {
    var random = RandomStream(seed: 6)
    let predictor = ShapePredictor(
      meanShape: [0.2, 0.2, 0.8, 0.8], levels: [Self.forest(&random, trees: 9, depth: 3, pool: 9, width: 4, values: 4)],
      border: .replicate, changeFrame: .shape, largestBox: 40, margin: 0.5)
    let image = ByteImage(width: 30, height: 20, channelCount: 1, filledWith: 3)
    #expect(predictor.fit(image, box: Box(x: 0, y: 0, width: 0, height: 5)) == nil)
    #expect(predictor.fit(image, box: Box(x: .nan, y: 0, width: 4, height: 5)) == nil)
    let none = ByteImage(width: 0, height: 0, channelCount: 1, pixels: [])
    #expect(predictor.fit(none, box: Box(x: 0, y: 0, width: 4, height: 5)) == nil)
    for box in [
      Box(x: -500, y: 900, width: 40, height: 40), Box(x: 25, y: 15, width: 400, height: 300),
      Box(x: 1, y: 1, width: 1e-3, height: 1e-3), Box(x: -1e12, y: 0, width: 1e12, height: 1e12),
    ] {
      #expect(predictor.fit(image, box: box)?.count == 2, "\(box)")
    }
  }

  @Test("colour is seen as the mean of its channels, and moving photo and box moves the points")
  func colourAndShift() throws {
    var random = RandomStream(seed: 8)
    let predictor = ShapePredictor(
      meanShape: [0.2, 0.3, 0.8, 0.4, 0.5, 0.9],
      levels: (0..<3).map { _ in Self.forest(&random, trees: 20, depth: 3, pool: 30, width: 6, values: 6) },
      border: .replicate, changeFrame: .shape, margin: 0.4)
    var grey = ByteImage(width: 60, height: 50, channelCount: 1, filledWith: 0)
    for k in grey.pixels.indices { grey.pixels[k] = UInt8(random.index(below: 256)) }
    let colour = ByteImage(width: 60, height: 50, channelCount: 3, pixels: grey.pixels.flatMap { [$0, $0, $0] })
    let box = Box(x: 15, y: 12, width: 20, height: 20)
    let points = try #require(predictor.fit(grey, box: box))
    #expect(predictor.fit(colour, box: box) == points)
    var moved = ByteImage(width: 70, height: 60, channelCount: 1, filledWith: 255)
    for row in 0..<50 {
      for column in 0..<60 { moved.pixels[(row + 7) * 70 + column + 4] = grey.pixels[row * 60 + column] }
    }
    let other = try #require(predictor.fit(moved, box: Box(x: 19, y: 19, width: 20, height: 20)))
    for (a, b) in zip(points, other) { #expect(abs(a.x + 4 - b.x) < 1e-6 && abs(a.y + 7 - b.y) < 1e-6) }
  }

  @Test("a model file gives back what was written, for every kind of leaf")
  func modelFile() throws {
    var random = RandomStream(seed: 11)
    let level = Self.forest(&random, trees: 6, depth: 3, pool: 12, width: 3, values: 8)
    let whole = Self.forest(&random, trees: 5, depth: 2, pool: 9, width: 8, values: 8)
    let predictor = ShapePredictor(
      meanShape: (0..<8).map { _ in Float(random.uniform()) },
      levels: [whole, whole.quantized(bits: .eight), level.quantized(bits: .sixteen), level.quantized(bits: .eight)],
      border: .replicate, changeFrame: .shape, largestBox: 90, margin: 0.5, layout: "four")
    let model = LandmarkModel(
      predictor: predictor, options: ShapePredictorOptions(),
      provenance: Provenance(command: "test", dataSets: [], seed: 3))
    let bytes = try model.modelFile().bytes()
    let read = try LandmarkModel(ModelFile(bytes: bytes, name: "test"))
    #expect(read.predictor == predictor)
    #expect(read.options == model.options && read.provenance == model.provenance)
    for cut in [0, 7, 100, bytes.count / 2, bytes.count - 1] {
      #expect(throws: InputError.self) { try LandmarkModel(ModelFile(bytes: Array(bytes[0..<cut]), name: "cut")) }
    }
    var file = try model.modelFile()
    file.tensors["1.anchors"] = Tensor([Int32](repeating: 4, count: 9))
    #expect(throws: InputError.self) { try LandmarkModel(file) }
    file = try model.modelFile()
    file.tensors["2.basis"] = nil
    #expect(throws: InputError.self) { try LandmarkModel(file) }
    file.kind = "hog-detector"
    #expect(throws: InputError.self) { try LandmarkModel(file) }
  }

  @Test("a face seen in two mirrors is the face")
  func mirror() throws {
    let face = DrawnFaces.training(1, seed: 2)[0]
    let once = face.mirrored(DrawnFaces.mirror)
    let twice = once.mirrored(DrawnFaces.mirror)
    #expect(twice.view.pixels == face.view.pixels)
    #expect(abs(twice.view.frame.originX - face.view.frame.originX) < 1e-9)
    for (a, b) in zip(face.points, twice.points) { #expect(try #require(a).distance(to: try #require(b)) < 1e-9) }
    // The same pixel lies under a point before and after.
    let frame = face.view.frame
    let mirror = once.view.frame
    for k in 0..<5 {
      let at = frame.point(
        x: face.view.pictureFrame.units(face.points[k]!).x, y: face.view.pictureFrame.units(face.points[k]!).y)
      let to = DrawnFaces.mirror[k]
      let other = mirror.point(
        x: once.view.pictureFrame.units(once.points[to]!).x, y: once.view.pictureFrame.units(once.points[to]!).y)
      #expect(abs(at.x + other.x - Double(face.view.width)) < 1e-3 && abs(at.y - other.y) < 1e-3)
    }
  }

  @Test("large boxes are halved, and a face takes no more than the stated bytes")
  func bounded() throws {
    let photo = ByteImage(width: 900, height: 700, channelCount: 3, filledWith: 50)
    let face = try #require(
      LandmarkFace(
        name: "f", image: photo, box: Box(x: 100, y: 60, width: 500, height: 500), points: [Point(x: 9, y: 9)],
        largestBox: 100, margin: 0.5))
    #expect(face.byteCount <= 400 * 400)
    #expect(face.view.width == 850 / 4)
    let pixel = face.view.frame.point(x: 0, y: 0)
    #expect(abs(pixel.x - 100.5 / 4) < 1e-9 && abs(pixel.y - 60.5 / 4) < 1e-9)
  }
}
