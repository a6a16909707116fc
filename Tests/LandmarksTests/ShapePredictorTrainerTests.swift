import Execution
import Foundation
import Geometry
import Imaging
import Testing

@testable import Landmarks

@Suite("Training landmark fitters")
struct ShapePredictorTrainerTests {
  private static var small: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 5
    options.trees = 60
    options.depth = 3
    options.oversampling = 8
    options.poolSize = 120
    options.poolPadding = 0.1
    options.scoringWidth = 0
    options.seed = 7
    return options
  }

  private static var local: ShapePredictorOptions {
    var options = small
    options.leaves = .globalRegression
    options.localTrees = 6
    options.localDepth = 4
    options.localPool = 60
    options.regressionWidth = 8
    options.ridge = 0.05
    options.start = .both
    options.changeFrame = .shape
    options.border = .replicate
    return options
  }

  @Test("a boosted fitter learns drawn faces that it has not seen")
  func learns() throws {
    let predictor = try ShapePredictorTrainer(Self.small).train(DrawnFaces.training(150, seed: 1))
    let before = DrawnFaces.error(
      ShapePredictor(meanShape: predictor.meanShape, levels: [], border: .zero, changeFrame: .box), seed: 2, count: 60)
    let after = DrawnFaces.error(predictor, seed: 2, count: 60)
    #expect(after < 0.55 * before, "mean shape \(before), fitted \(after)")
    #expect(DrawnFaces.error(predictor, seed: 2, count: 60, starts: 3) < 1.1 * after)
  }

  @Test("a fitter of one point learns from the pixels around it; with none around it, it is refused")
  func onePoint() throws {
    func faces(_ count: Int, seed: UInt64) -> [LandmarkFace] {
      (0..<count).map { index in
        let face = DrawnFaces.make(seed: seed, index: index)
        return LandmarkFace(
          name: "\(index)", image: face.image, box: face.box, points: [face.points[0]], largestBox: nil, margin: nil)!
      }
    }
    var options = Self.small
    options.poolPadding = 0
    let error = #expect(throws: InputError.self) { try ShapePredictorTrainer(options).train(faces(9, seed: 1)) }
    #expect(error?.field == "poolPadding" && error?.hint?.contains("--set poolPadding=") == true)
    options.poolPadding = 0.3
    let fitted = try ShapePredictorTrainer(options).train(faces(150, seed: 1))
    let mean = ShapePredictor(meanShape: fitted.meanShape, levels: [], border: .zero, changeFrame: .box)
    func distance(_ predictor: ShapePredictor) -> Double {
      (0..<60).reduce(0) { sum, index in
        let face = DrawnFaces.make(seed: 2, index: index)
        return sum + predictor.fit(face.image, box: face.box)![0].distance(to: face.points[0]) / face.box.width / 60
      }
    }
    #expect(distance(fitted) < 0.6 * distance(mean), "mean \(distance(mean)), fitted \(distance(fitted))")
  }

  @Test("so does one of local binary features and a global regression")
  func learnsGlobally() throws {
    let predictor = try ShapePredictorTrainer(Self.local).train(DrawnFaces.training(150, seed: 1))
    let before = DrawnFaces.error(
      ShapePredictor(meanShape: predictor.meanShape, levels: [], border: .zero, changeFrame: .box), seed: 2, count: 60)
    let after = DrawnFaces.error(predictor, seed: 2, count: 60)
    #expect(after < 0.5 * before, "mean shape \(before), fitted \(after)")
    for bits in [LeafBits.eight, .sixteen] {
      let stored = DrawnFaces.error(predictor.quantized(bits: bits), seed: 2, count: 60)
      #expect(abs(stored - after) < (bits == .eight ? 0.05 : 0.002) * after, "\(bits): \(stored) for \(after)")
    }
  }

  @Test("the same bytes for 1, 2 and 5 threads", arguments: [false, true])
  func threads(globally: Bool) throws {
    var options = globally ? Self.local : Self.small
    options.levels = 2
    options.trees = 12
    options.oversampling = 60
    // Enough samples for several parts.
    let faces = DrawnFaces.training(120, seed: 3)
    let first = try ShapePredictorTrainer(options, executor: .serial).train(faces)
    for threads in [2, 5] {
      let other = try ShapePredictorTrainer(options, executor: ParallelExecutor(threadCount: threads)).train(faces)
      #expect(first == other, "\(threads) threads")
    }
  }

  @Test("leaves are shrunken means of what is left, by a slow reckoning", arguments: [nil, 3])
  func leaves(absentEvery: Int?) throws {
    var options = Self.small
    options.levels = 1
    options.trees = 5
    options.shrinkage = 0.3
    options.start = .mixtures
    let faces = DrawnFaces.training(40, seed: 5, absentEvery: absentEvery)
    let predictor = try ShapePredictorTrainer(options).train(faces)
    let samples = TrainingSamples(faces, meanShape: predictor.meanShape, oversampling: options.oversampling)
    samples.start(options)
    samples.computeResiduals(frame: .box, on: .serial)
    let level = predictor.levels[0]
    var left = (0..<samples.count).map { s in (0..<10).map { samples.residuals[s * 10 + $0] } }
    for tree in 0..<options.trees {
      var sums = [[Float]](repeating: [Float](repeating: 0, count: 10), count: 8)
      var counts = sums
      var leafOf: [Int] = []
      for sample in 0..<samples.count {
        var pixels = [UInt8](repeating: 0, count: level.pool.count)
        faces[sample / options.oversampling].view.withPlane { plane, _ in
          readPixels(
            plane, shape: samples.current + sample * 10, turn: samples.turn(of: sample), pool: level.pool,
            border: .zero, output: &pixels)
        }
        var node = 0
        while node < 7 {
          let split = level.splits[tree * 7 + node]
          let isLeft = Int(pixels[Int(split.first)]) - Int(pixels[Int(split.second)]) > Int(split.threshold)
          node = 2 * node + (isLeft ? 1 : 2)
        }
        leafOf.append(node - 7)
        let absent = samples.absent[sample / options.oversampling]
        for k in 0..<10 where !absent.contains(k) {
          sums[node - 7][k] += left[sample][k]
          counts[node - 7][k] += 1
        }
      }
      for leaf in 0..<8 {
        for k in 0..<10 {
          let expected = counts[leaf][k] > 0 ? 0.3 * sums[leaf][k] / counts[leaf][k] : 0
          let found = level.leaves.values[(tree * 8 + leaf) * 10 + k]
          #expect(abs(found - expected) < 1e-5, "tree \(tree) leaf \(leaf) value \(k): \(found), not \(expected)")
        }
      }
      for sample in 0..<samples.count {
        let absent = samples.absent[sample / options.oversampling]
        for k in 0..<10 where !absent.contains(k) {
          left[sample][k] -= level.leaves.values[(tree * 8 + leafOf[sample]) * 10 + k]
        }
      }
    }
  }

  @Test("fewer scoring coordinates cost little")
  func scoringWidth() throws {
    var options = Self.small
    let whole = DrawnFaces.error(
      try ShapePredictorTrainer(options).train(DrawnFaces.training(150, seed: 1)), seed: 2, count: 60)
    options.scoringWidth = 8
    let short = DrawnFaces.error(
      try ShapePredictorTrainer(options).train(DrawnFaces.training(150, seed: 1)), seed: 2, count: 60)
    #expect(short < 1.1 * whole, "\(short) for \(whole)")
  }

  @Test("where points are absent, all coordinates are scored, however few are asked for")
  func scoringWidthWithAbsentPoints() throws {
    var options = Self.small
    options.levels = 2
    options.trees = 10
    let faces = DrawnFaces.training(40, seed: 5, absentEvery: 7)
    let whole = try ShapePredictorTrainer(options).train(faces)
    options.scoringWidth = 8
    #expect(try ShapePredictorTrainer(options).train(faces) == whole)
    let present = DrawnFaces.training(40, seed: 5)
    let short = try ShapePredictorTrainer(options).train(present)
    options.scoringWidth = 0
    #expect(try ShapePredictorTrainer(options).train(present) != short)
  }

  @Test("a run that goes on from a checkpoint ends with the same bytes", arguments: [false, true])
  func resume(globally: Bool) throws {
    var options = globally ? Self.local : Self.small
    options.levels = 3
    options.trees = 10
    let faces = DrawnFaces.training(30, seed: 9)
    let trainer = try ShapePredictorTrainer(options)
    var stored: ShapePredictor?
    let whole = try trainer.train(faces) { predictor, report in if report.level == 1 { stored = predictor } }
    #expect(stored?.levels.count == 1)
    let resumed = try trainer.train(faces, resuming: stored)
    #expect(resumed == whole)
  }

  @Test("one face, and faces that are all alike in a picture of one colour, are learnt without a fault")
  func degenerate() throws {
    var options = Self.small
    options.levels = 2
    options.trees = 5
    let one = try ShapePredictorTrainer(options).train(DrawnFaces.training(1, seed: 1))
    #expect(one.meanShape.allSatisfy { $0.isFinite })
    let grey = ByteImage(width: 40, height: 40, channelCount: 1, filledWith: 90)
    let box = Box(x: 5, y: 5, width: 30, height: 30)
    let places = [Point(x: 12, y: 20), Point(x: 28, y: 20), Point(x: 20, y: 30), Point(x: 20, y: 30)]
    for leaves in [ShapePredictorOptions.Leaves.boosted, .globalRegression] {
      options.leaves = leaves
      let same = (0..<3).map { _ in
        LandmarkFace(
          name: "grey", image: grey, box: box, points: places,
          largestBox: nil, margin: nil)!
      }
      let predictor = try ShapePredictorTrainer(options).train(same)
      let found = try #require(predictor.fit(grey, box: box))
      #expect(zip(found, places).allSatisfy { $0.distance(to: $1) < 0.5 }, "\(found)")
    }
  }

  @Test("faces that cannot be learnt from are told")
  func badFaces() throws {
    let trainer = try ShapePredictorTrainer(Self.small)
    #expect(throws: InputError.self) { try trainer.train([]) }
    let image = ByteImage(width: 20, height: 20, channelCount: 1, filledWith: 0)
    let box = Box(x: 2, y: 2, width: 10, height: 10)
    func face(_ points: [Point?]) -> LandmarkFace {
      LandmarkFace(name: "f", image: image, box: box, points: points, largestBox: nil, margin: nil)!
    }
    let here = Point(x: 5, y: 5)
    #expect(throws: InputError.self) { try trainer.train([face([])]) }
    #expect(throws: InputError.self) { try trainer.train([face([here]), face([here, here])]) }
    #expect(throws: InputError.self) { try trainer.train([face([here, nil]), face([here, nil])]) }
    #expect(throws: InputError.self) { try trainer.train([face([here, Point(x: .nan, y: 0)])]) }
    let empty = LandmarkFace(
      name: "f", image: image, box: Box(x: 0, y: 0, width: 0, height: 3), points: [here], largestBox: nil, margin: nil)
    #expect(empty == nil)
  }
}
