import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning
import TestSupport
import Testing

@testable import Detection

extension CascadeOracle {
  /// The same cascade in the library's types.
  func detector(label: String = "thing", scanOptions: ScanOptions = .cascade) -> CascadeDetector {
    let made: CascadeFeatures =
      isHaar
      ? .haar(
        features.map { feature in
          HaarFeature(
            boxes: feature.boxes.map {
              HaarFeature.WeightedBox(x: $0.x, y: $0.y, width: $0.width, height: $0.height, weight: $0.weight)
            }, isTilted: feature.isTilted)
        })
      : .blockPatterns(
        features.map { feature in
          let block = feature.boxes[0]
          return BlockPattern(x: block.x, y: block.y, blockWidth: block.width, blockHeight: block.height)
        })
    func branch(_ code: Int) -> DecisionTree.Branch { code > 0 ? .node(code) : .leaf(-code) }
    return CascadeDetector(
      windowSize: windowSize, features: made,
      stages: stages.map { stage in
        CascadeStage(
          trees: stage.trees.map { tree in
            DecisionTree(
              nodes: tree.nodes.map { node in
                DecisionTree.Node(
                  feature: node.feature,
                  split: isHaar ? .below(node.threshold) : .isIn(DecisionTree.CategorySet(words: node.set)),
                  left: branch(node.left), right: branch(node.right))
              }, leaves: tree.leaves)
          }, threshold: stage.threshold, trace: stage.trace)
      }, label: label, scanOptions: scanOptions)
  }

  /// Every kind of cascade.
  static func kinds(seed: UInt64) -> [CascadeOracle] {
    let square = PixelSize(width: 12, height: 12)
    return [
      .random(seed: seed, windowSize: square, isHaar: true),
      .random(seed: seed, windowSize: PixelSize(width: 15, height: 9), isHaar: true, nodeLimit: 3),
      .random(seed: seed, windowSize: square, isHaar: true, tilted: true, nodeLimit: 12),
      .random(seed: seed, windowSize: square, isHaar: true, isSoft: true),
      .random(seed: seed, windowSize: square, isHaar: false),
      .random(seed: seed, windowSize: PixelSize(width: 9, height: 16), isHaar: false, nodeLimit: 4),
      .random(seed: seed, windowSize: square, isHaar: false, isSoft: true),
      .random(seed: seed, windowSize: PixelSize(width: 58, height: 54), isHaar: false, stageCount: 2),
    ]
  }
}

struct CascadeDetectorTests {
  /// One stump: the right half of a window of 4 x 4 less its left half.
  private func edge(threshold: Float = 0.1) -> CascadeDetector {
    CascadeDetector(
      windowSize: PixelSize(width: 4, height: 4),
      features: .haar([
        HaarFeature(boxes: [
          .init(x: 0, y: 0, width: 4, height: 4, weight: -1), .init(x: 2, y: 0, width: 2, height: 4, weight: 2),
        ])
      ]),
      stages: [
        CascadeStage(
          trees: [
            DecisionTree(
              nodes: [.init(feature: 0, split: .below(threshold), left: .leaf(0), right: .leaf(1))], leaves: [-1, 2])
          ], threshold: 0.5)
      ], label: "edge")
  }

  /// Worked by hand: columns 0-3 dark, 4-7 light. The window at column 2 has 800 in its right half and 0 in its left: the
  /// feature's sum is 800. Within its border of one pixel are two pixels of 100 and two of 0: a contrast of
  /// sqrt(4 * 20000 - 200 * 200) = 200, so the value is 4. The windows beside it have no contrast there.
  @Test func findsAnEdge() {
    let image = ByteImage(width: 8, height: 4, channelCount: 1, pixels: (0..<32).map { $0 % 8 < 4 ? 0 : 100 })
    var options = ScanOptions.cascade
    options.suppression = .none
    options.scaleFactor = 16
    let wanted = [Detection(box: Box(x: 2, y: 0, width: 4, height: 4), score: 1.5, label: "edge")]
    #expect(edge(threshold: 4).detect(in: image, options: options) == wanted)
    #expect(edge(threshold: 3.5).detect(in: image, options: options) == wanted)
    #expect(edge(threshold: 4.001).detect(in: image, options: options).isEmpty)
  }

  /// What a scan must find: every level, every place, one by one.
  private func expected(_ oracle: CascadeOracle, _ image: ByteImage, _ plan: CascadeScanPlan) -> [[Double]] {
    var windows: [[Double]] = []
    for (index, level) in plan.levels.enumerated() {
      let resized = image.resizedAsOpenCV(to: level.size)
      for row in 0..<level.rows {
        var column = 0
        while column < level.columns {
          let verdict = oracle.verdict(resized, x: column * level.stride, y: row * level.stride)
          if case .passed(let total) = verdict {
            windows.append([Double(index), Double(row), Double(column), total])
          }
          if plan.rule == .openCV, verdict == .rejected(0) { column += 1 }
          column += 1
        }
      }
    }
    return windows
  }

  private func found(_ detector: CascadeDetector, _ image: ByteImage, _ plan: CascadeScanPlan, threads: Int)
    -> [[Double]]
  {
    CascadeScan(detector, image: image, plan: plan, floor: 0).windows(
      executor: ParallelExecutor(threadCount: threads)
    ).map {
      [Double($0.level), Double($0.row), Double($0.column), $0.score + Double(detector.stages.last!.threshold)]
    }
  }

  private func agree(_ a: [[Double]], _ b: [[Double]]) -> Bool {
    a.count == b.count
      && zip(a, b).allSatisfy { $0[..<3] == $1[..<3] && abs($0[3] - $1[3]) < 1e-12 }
  }

  @Test(arguments: testSeeds) func agreesWithTheOracle(_ seed: UInt64) {
    let image = CascadeOracle.picture(seed: seed, width: 61 + Int(seed), height: 67)
    var passed = 0
    for (kind, oracle) in CascadeOracle.kinds(seed: seed).enumerated() {
      let detector = oracle.detector()
      for stride in [1, 2, 3] {
        var options = ScanOptions.cascade
        options.stride = stride
        options.scaleFactor = 1.7
        let plan = CascadeScanPlan(imageSize: image.size, detector: detector, options: options)
        let wanted = expected(oracle, image, plan)
        passed += wanted.count
        #expect(
          agree(found(detector, image, plan, threads: 1), wanted), "seed \(seed), kind \(kind), stride \(stride)")
      }
      guard oracle.stages.allSatisfy({ $0.trace == nil }) else { continue }
      let plan = CascadeScanPlan(
        imageSize: image.size, detector: detector, scaleFactor: 1.4, smallest: PixelSize(width: 0, height: 0),
        largest: PixelSize(width: 0, height: 0))
      #expect(
        agree(found(detector, image, plan, threads: 3), expected(oracle, image, plan)),
        "seed \(seed), kind \(kind), OpenCV's rule")
    }
    #expect(passed > 100, "seed \(seed): a test of windows that pass")
  }

  /// A score of several stages, by cascades that end earlier: what passes is the same, and each of the last stages adds what
  /// its sum exceeds its threshold by.
  @Test(arguments: testSeeds) func scoresOfSeveralStagesAgreeWithTheOracle(_ seed: UInt64) throws {
    let image = CascadeOracle.picture(seed: seed, width: 70, height: 61 + Int(seed))
    var passed = 0
    for (kind, oracle) in CascadeOracle.kinds(seed: seed).enumerated() {
      let detector = oracle.detector()
      for count in [2, 3, 1000] {
        for stride in [1, 3] {
          var options = ScanOptions.cascade
          options.scaleFactor = 1.7
          options.stride = stride
          options.scoredStages = count
          let plan = CascadeScanPlan(imageSize: image.size, detector: detector, options: options)
          let wanted = expected(oracle, image, plan).map { window in
            let level = plan.levels[Int(window[0])]
            let resized = image.resizedAsOpenCV(to: level.size)
            var score = 0.0
            for end in max(1, oracle.stages.count - count + 1)...oracle.stages.count {
              var shorter = oracle
              shorter.stages = Array(oracle.stages[..<end])
              let (x, y) = (Int(window[2]) * level.stride, Int(window[1]) * level.stride)
              guard case .passed(let total) = shorter.verdict(resized, x: x, y: y) else { return [Double]() }
              score += total - Double(shorter.stages[end - 1].threshold)
            }
            return Array(window[..<3]) + [score]
          }
          passed += wanted.count
          let found = detector.windows(in: image, options: options).windows.map {
            [Double($0.level), Double($0.row), Double($0.column), $0.score]
          }
          #expect(
            found.count == wanted.count
              && zip(found, wanted).allSatisfy { $0[..<3] == $1[..<3] && abs($0[3] - $1[3]) < 1e-9 },
            "seed \(seed), kind \(kind), \(count) stages, stride \(stride)")
          // Half of them by their scores.
          let middle = wanted.map { $0[3] }.sorted().dropFirst(wanted.count / 2).first ?? 0
          options.threshold = middle
          options.suppression = .none
          let some = detector.detect(in: image, options: options)
          #expect(abs(some.count - wanted.count { $0[3] >= middle }) <= 1, "rounding of the middle one alone")
        }
      }
    }
    #expect(passed > 100, "seed \(seed): a test of windows that pass")
  }

  @Test func openCVsRectanglesDoNotDependOnWhatIsScored() {
    let image = CascadeOracle.picture(seed: 6, width: 120, height: 90)
    var found = 0
    for oracle in CascadeOracle.kinds(seed: 6) where oracle.stages.allSatisfy({ $0.trace == nil }) {
      let detector = oracle.detector()
      var options = ScanOptions.openCVCascade
      options.suppression = .groupRectangles(RectangleGrouping(threshold: 1))
      let plain = detector.detect(in: image, options: options)
      options.scoredStages = 3
      let several = detector.detect(in: image, options: options)
      #expect(Set(plain.map(\.box)) == Set(several.map(\.box)))
      let scanned = detector.scanned(by: options)
      #expect(scanned.detectMultiScale(in: image, neighbours: 1) == plain)
      found += plain.count
    }
    #expect(found > 5)
  }

  /// Taller than several bands, wider than several words of windows.
  @Test func bandsJoin() {
    let image = CascadeOracle.picture(seed: 4, width: 150, height: 420)
    for oracle in CascadeOracle.kinds(seed: 4).prefix(6) {
      let detector = oracle.detector()
      var options = ScanOptions.cascade
      options.scaleFactor = 3
      let plan = CascadeScanPlan(imageSize: image.size, detector: detector, options: options)
      let wanted = expected(oracle, image, plan)
      #expect(agree(found(detector, image, plan, threads: 1), wanted))
      #expect(agree(found(detector, image, plan, threads: 7), wanted))
    }
  }

  @Test(arguments: testSeeds) func skipsAsALoopDoes(_ seed: UInt64) {
    var random = RandomStream(seed: seed)
    var carry: UInt64 = 0
    var skip = false
    for round in 0..<200 {
      var rejected = random.next()
      if round % 3 == 0 { rejected |= random.next() | random.next() }
      var wanted: UInt64 = 0
      for bit in 0..<64 {
        if skip {
          wanted |= 1 << UInt64(bit)
          skip = false
        } else {
          skip = rejected >> UInt64(bit) & 1 == 1
        }
      }
      #expect(skippedWindows(rejected, carry: &carry) == wanted, "seed \(seed), round \(round)")
    }
  }

  /// Features whose weights cancel, and patterns, see no difference when all pixels grow by as much.
  @Test func lightDoesNotMatter() {
    let image = CascadeOracle.picture(seed: 9, width: 90, height: 70)
    let dimmed = ByteImage(
      width: 90, height: 70, channelCount: 1, pixels: image.pixels.map { min($0, 200) })
    let brighter = ByteImage(width: 90, height: 70, channelCount: 1, pixels: dimmed.pixels.map { $0 + 55 })
    var options = ScanOptions.cascade
    options.suppression = .none
    options.scaleFactor = 16
    for oracle in CascadeOracle.kinds(seed: 9).prefix(7) {
      let detector = oracle.detector()
      // Rounding of a level's pixels breaks the rule: the first level alone has none.
      #expect(detector.detect(in: dimmed, options: options) == detector.detect(in: brighter, options: options))
    }
  }

  @Test func oddSizesAreSafe() {
    for oracle in CascadeOracle.kinds(seed: 2) {
      let detector = oracle.detector()
      for size in [(0, 0), (1, 1), (1, 500), (500, 1), (12, 12), (11, 300), (300, 12), (15, 16)] {
        let image = ByteImage(width: size.0, height: size.1, channelCount: 3, filledWith: 90)
        for options in [ScanOptions.cascade, .openCVCascade] {
          guard (try? detector.validate(options, source: "test")) != nil else { continue }
          let found = detector.detect(in: image, options: options)
          #expect(!oracle.isHaar || found.isEmpty, "no contrast, no objects")
        }
      }
    }
  }

  @Test func optionsAreHeededOrRefused() throws {
    let image = CascadeOracle.picture(seed: 3, width: 160, height: 120)
    // The first made-up cascade that lets some windows through, but few.
    let detector = try #require(
      (1...UInt64(200)).lazy.map {
        CascadeOracle.random(seed: $0, windowSize: PixelSize(width: 12, height: 12), isHaar: true).detector()
      }.first { (200...2000).contains($0.windows(in: image).windows.count) })
    func fails(_ change: (inout ScanOptions) -> Void, base: ScanOptions = .cascade) -> Bool {
      var options = base
      change(&options)
      do {
        try detector.validate(options, source: "test")
        return false
      } catch { return error is InputError }
    }
    #expect(!fails { _ in })
    #expect(fails { $0.padding = 2 })
    #expect(fails { $0.sharedLevels = 2 })
    #expect(fails({ $0.stride = 2 }, base: .openCVCascade))
    #expect(fails({ $0.upsampling = .byTwo }, base: .openCVCascade))
    var options = ScanOptions.cascade
    options.suppression = .none
    let all = detector.detect(in: image, options: options)
    options.minimumHeight = 20
    options.maximumHeight = 40
    let some = detector.detect(in: image, options: options)
    #expect(!some.isEmpty && some.count < all.count)
    #expect(some.allSatisfy { $0.box.height > 19.5 && $0.box.height < 40.5 })
    options.maximumDetections = 3
    #expect(detector.detect(in: image, options: options) == Array(some.prefix(3)))
    options.maximumDetections = nil
    options.threshold = 0.5
    #expect(detector.detect(in: image, options: options) == some.filter { $0.score >= 0.5 })
    // So low that the last stage rejects nothing that reaches it.
    options.threshold = -100
    #expect(detector.detect(in: image, options: options).count > some.count)
    options.minimumHeight = 8
    options.upsampling = .automatic
    #expect(detector.detect(in: image, options: options).contains { $0.box.height < 11 })
    let soft = CascadeOracle.kinds(seed: 3)[3].detector()
    #expect(throws: InputError.self) { try soft.validate(.openCVCascade, source: "test") }
  }

  @Test("levels by OpenCV's rule are rounded half to even")
  func halves() {
    let detector = CascadeOracle.kinds(seed: 5)[0].detector()
    let none = PixelSize(width: 0, height: 0)
    let plan = CascadeScanPlan(
      imageSize: PixelSize(width: 101, height: 105), detector: detector, scaleFactor: 2, smallest: none, largest: none)
    // 101 / 2 and 105 / 2, then 101 / 4 and 105 / 4.
    #expect(
      plan.levels.prefix(3).map(\.size) == [
        PixelSize(width: 101, height: 105), PixelSize(width: 50, height: 52), PixelSize(width: 25, height: 26),
      ])
  }

  @Test func greyAndColourAgree() {
    let detector = CascadeOracle.kinds(seed: 5)[0].detector()
    let image = CascadeOracle.picture(seed: 5, width: 100, height: 80)
    #expect(detector.detect(in: image) == detector.detect(in: image.rgb()))
    #expect(!detector.detect(in: image).isEmpty)
  }
}
