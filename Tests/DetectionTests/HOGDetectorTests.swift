import Execution
import Features
import Foundation
import Geometry
import Imaging
import Learning
import ModelFiles
import TestSupport
import Testing

@testable import Detection

@Suite struct HOGDetectorTests {
  private func component(
    _ seed: UInt64, rows: Int, columns: Int, hog: HOGFeatures, region: Box = Box(x: 0, y: 0, width: 1, height: 1),
    bias: Float = 0, label: String = "thing"
  ) -> HOGComponent {
    var random = RandomStream(seed: seed)
    return HOGComponent(
      label: label, name: "\(seed)", windowSize: hog.windowSize(MapSize(rows: rows, columns: columns)),
      objectRegion: region, rows: rows, columns: columns, channelCount: hog.channelCount,
      weights: (0..<rows * columns * hog.channelCount).map { _ in Float(random.gaussian()) * 0.05 }, bias: bias)
  }

  private func noise(_ seed: UInt64, width: Int, height: Int, channels: Int = 3) -> ByteImage {
    var random = RandomStream(seed: seed)
    return ByteImage(
      width: width, height: height, channelCount: channels,
      pixels: (0..<width * height * channels).map { _ in UInt8(random.index(below: 256)) })
  }

  private let felzenszwalb = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 8))
  private let dalalTriggs = HOGFeatures.dalalTriggs(DalalTriggsHOG())

  // MARK: Filters

  /// Several filters of different sizes over maps of odd sizes, some smaller than a filter, against the plain sum.
  @Test(arguments: testSeeds) func filterBankAgreesWithPlainSums(seed: UInt64) {
    var random = RandomStream(seed: seed)
    let channels = 31
    let rows = 1 + random.index(below: 40)
    let columns = 1 + random.index(below: 50)
    let map = FeatureMap(
      rows: rows, columns: columns, channelCount: channels, channelStride: 32,
      values: (0..<rows * columns * 32).map { $0 % 32 == 31 ? 0 : Float(random.uniform()) })
    let components = (0..<4).map { index in
      component(
        seed * 10 + UInt64(index), rows: 1 + random.index(below: 12), columns: 1 + random.index(below: 9),
        hog: felzenszwalb, bias: Float(index))
    }
    let bank = FilterBank(components, channelCount: channels)
    for active in [[true, true, true, true], [true, false, true, true], [false, true, false, false]] {
      let scores = bank.scores(of: map, active: active)
      for (index, component) in components.enumerated() {
        let found = scores[index]
        guard active[index], component.rows <= rows, component.columns <= columns else {
          #expect(found.values.isEmpty)
          continue
        }
        #expect(found.rows == rows - component.rows + 1 && found.columns == columns - component.columns + 1)
        var worst = 0.0
        for r in 0..<found.rows {
          for c in 0..<found.columns {
            var sum = Double(component.bias)
            for i in 0..<component.rows {
              for j in 0..<component.columns {
                for k in 0..<channels {
                  sum +=
                    Double(component.weights[(i * component.columns + j) * channels + k]) * Double(map[r + i, c + j, k])
                }
              }
            }
            worst = max(worst, abs(sum - Double(found.values[r * found.columns + c])))
          }
        }
        #expect(worst < 1e-4, "seed \(seed), filter \(index)")
      }
    }
  }

  // MARK: Plans

  /// Window 64 high, object 32 of it; the image 128 x 96.
  @Test func planByHand() {
    let part = component(
      1, rows: 8, columns: 4, hog: felzenszwalb, region: Box(x: 0.25, y: 0.25, width: 0.5, height: 0.5))
    var options = ScanOptions(scalesPerOctave: 1, padding: 0)
    func scales(_ change: (inout ScanOptions) -> Void = { _ in }) -> [Double] {
      var changed = options
      change(&changed)
      return ScanPlan(
        imageSize: PixelSize(width: 128, height: 96), cellSize: 8, components: [part], options: changed
      ).levels.map(\.nominalScale)
    }
    // 96 rows hold the window at 1, not at 0.5 (48 rows).
    #expect(scales() == [1])
    #expect(scales { $0.padding = 1 } == [1, 0.5])
    #expect(scales { $0.upsampling = .byTwo } == [2, 1])
    // The least object of 16 asks for two-fold enlargement, of 20 for 1.6, of 64 for the half.
    #expect(scales { $0.minimumHeight = 16 } == [2, 1])
    #expect(scales { $0.minimumHeight = 20 } == [1.6, 0.8])
    #expect(
      scales {
        $0.minimumHeight = 20; $0.upsampling = .none
      } == [1])
    #expect(scales { $0.minimumHeight = 8 } == [2, 1])
    #expect(
      scales {
        $0.minimumHeight = 40; $0.padding = 2
      } == [0.8, 0.4])
    #expect(
      scales {
        $0.maximumHeight = 32; $0.padding = 1
      } == [1])
    #expect(
      scales {
        $0.minimumHeight = 16; $0.maximumHeight = 31
      } == [2])
    options.scaleFactor = 2
    let plan = ScanPlan(
      imageSize: PixelSize(width: 130, height: 97), cellSize: 8, components: [part],
      options: ScanOptions(scalesPerOctave: 1, padding: 1))
    #expect(plan.levels[0].paddedSize == PixelSize(width: 136 + 16, height: 104 + 16))
    #expect(plan.levels[1].size == PixelSize(width: 65, height: 49))
    // Row 2, column 1 of the half-size level with one cell of padding: 0 right and 8 down, in pixels of the image twice that.
    let window = plan.window(level: plan.levels[1], row: 2, column: 1, windowSize: part.windowSize)
    #expect(window.x == 0 && abs(window.y - 8 * 97 / 49.0) < 1e-12 && window.width == 32 * 130 / 65.0)
    let box = part.object(ofWindow: Box(x: 10, y: 20, width: 32, height: 64))
    #expect(box == Box(x: 18, y: 36, width: 16, height: 32))
  }

  @Test func openCVPlanByHand() {
    let person = component(1, rows: 15, columns: 7, hog: dalalTriggs)
    let plan = ScanPlan(
      imageSize: PixelSize(width: 70, height: 140), cellSize: 8, components: [person], options: .openCV)
    // 140 / 1.05 = 133.3, 140 / 1.1025 = 126.98 < 128.
    #expect(plan.levels.map(\.size) == [PixelSize(width: 70, height: 140), PixelSize(width: 67, height: 133)])
    #expect(
      plan.window(level: plan.levels[1], row: 0, column: 0, windowSize: person.windowSize)
        == Box(x: 0, y: 0, width: 67, height: 134))
  }

  // MARK: Scans

  /// The score of a window is that of the window cut out with the margin that training takes.
  @Test(arguments: [0, 1]) func scanAgreesWithSingleWindows(kind: Int) {
    let features = kind == 0 ? felzenszwalb : dalalTriggs
    let filter = component(3, rows: 5, columns: 4, hog: features, bias: 0.1)
    let detector = HOGDetector(features: features, colour: .rgb, components: [filter])
    let image = noise(4, width: 96, height: 88)
    var options = ScanOptions(padding: 0)
    options.scaleFactor = 16
    let scan = detector.windows(in: image, scoringAtLeast: -.infinity, options: options)
    let size = features.mapSize(forImage: image.size)
    #expect(scan.scannedCount == (size.rows - 4) * (size.columns - 3) && scan.windows.count == scan.scannedCount)
    let margin = kind == 0 ? 2 : 1
    let pixels = 8 * margin
    var checked = 0
    for window in scan.windows where window.row >= margin && window.column >= margin {
      guard Int(window.box.maxX) + pixels <= 96, Int(window.box.maxY) + pixels <= 88 else { continue }
      #expect(window.box.x == Double(window.column * 8) && window.box.y == Double(window.row * 8))
      let cut = image.crop(
        x: Int(window.box.x) - pixels, y: Int(window.box.y) - pixels, width: Int(window.box.width) + 2 * pixels,
        height: Int(window.box.height) + 2 * pixels)
      let part = features.map(of: cut).part(row: margin, column: margin, rows: 5, columns: 4)
      let sum = zip(part, filter.weights).reduce(0.1) { $0 + Double($1.0) * Double($1.1) }
      checked += 1
      #expect(abs(sum - window.score) < 1e-4)
    }
    #expect(checked >= 8)
  }

  @Test func strideSkipsWindows() {
    let filter = component(3, rows: 4, columns: 4, hog: felzenszwalb)
    let detector = HOGDetector(features: felzenszwalb, colour: .grey, components: [filter])
    let image = noise(5, width: 100, height: 90)
    let all = detector.windows(in: image, scoringAtLeast: -.infinity, options: ScanOptions())
    let some = detector.windows(in: image, scoringAtLeast: -.infinity, options: ScanOptions(stride: 3))
    #expect(some.windows == all.windows.filter { $0.row % 3 == 0 && $0.column % 3 == 0 })
    #expect(some.scannedCount == some.windows.count)
  }

  @Test func threadsAndOrderDoNotMatter() {
    let components = [
      component(3, rows: 4, columns: 4, hog: felzenszwalb),
      component(4, rows: 6, columns: 3, hog: felzenszwalb, label: "b"),
    ]
    let detector = HOGDetector(features: felzenszwalb, colour: .rgb, components: components)
    let image = noise(6, width: 203, height: 151)
    let options = ScanOptions(threshold: 0.1)
    let one = detector.detect(in: image, options: options, executor: .serial)
    #expect(one.count > 3)
    for threads in [2, 5] {
      #expect(detector.detect(in: image, options: options, executor: ParallelExecutor(threadCount: threads)) == one)
    }
    let swapped = HOGDetector(features: felzenszwalb, colour: .rgb, components: components.reversed())
    let other = swapped.detect(in: image, options: options)
    #expect(other.map(\.box) == one.map(\.box) && other.map(\.label) == one.map(\.label))
    var few = options
    few.maximumDetections = 2
    #expect(detector.detect(in: image, options: few) == Array(one.prefix(2)))
  }

  /// A constant image has no gradients: every window scores the bias.
  @Test func constantImageScoresTheBias() {
    let filter = component(3, rows: 4, columns: 4, hog: dalalTriggs, bias: 0.25)
    let detector = HOGDetector(features: dalalTriggs, colour: .rgb, components: [filter])
    let image = ByteImage(width: 90, height: 70, channelCount: 3, filledWith: 99)
    let scan = detector.windows(in: image, scoringAtLeast: -1)
    #expect(scan.scannedCount > 0 && scan.windows.allSatisfy { abs($0.score - 0.25) < 1e-6 })
  }

  @Test func smallAndEmptyImages() {
    let filter = component(3, rows: 6, columns: 6, hog: felzenszwalb, bias: 1)
    let detector = HOGDetector(features: felzenszwalb, colour: .grey, components: [filter])
    for (width, height) in [(0, 0), (1, 1), (0, 20), (10, 10), (47, 5), (1, 400)] {
      let image = ByteImage(width: width, height: height, channelCount: 1, filledWith: 3)
      #expect(detector.detect(in: image).isEmpty, "\(width) x \(height)")
      #expect(detector.detect(in: image, options: .openCV).isEmpty, "\(width) x \(height)")
    }
    // Half of the window in the image is enough where the padding makes up for the rest.
    let half = ByteImage(width: 32, height: 32, channelCount: 1, filledWith: 3)
    #expect(!detector.detect(in: half).isEmpty)
  }

  // MARK: Files

  @Test func survivesItsFile() throws {
    let components = [
      component(
        3, rows: 4, columns: 4, hog: felzenszwalb, region: Box(x: 0.1, y: 0.2, width: 0.7, height: 1.1), bias: 0.5
      )
      .calibrated(PlattScaling(a: -2, b: 0.5)),
      component(4, rows: 6, columns: 3, hog: felzenszwalb, label: "b"),
    ]
    var scan = ScanOptions(minimumHeight: 20, scalesPerOctave: 6)
    scan.suppression = .greedy(GreedySuppression(overlap: 0.3, measure: .smaller, acrossLabels: 0.5))
    let detector = HOGDetector(features: felzenszwalb, colour: .grey, components: components, scanOptions: scan)
    let file = try detector.modelFile(provenance: Provenance(command: "x", dataSets: [], seed: 1), training: .crosses)
    let bytes = try file.bytes()
    let read = try HOGDetector(modelFile: try ModelFile(bytes: bytes, name: "m"))
    #expect(read.components == detector.components && read.scanOptions == scan && read.colour == .grey)
    #expect(read.features == detector.features)
    #expect(try HOGDetector.trainingOptions(of: file) == .crosses)
    #expect(try read.modelFile(provenance: file.provenance, training: .crosses).bytes() == bytes)
    let image = noise(7, width: 120, height: 100)
    #expect(read.detect(in: image) == detector.detect(in: image))
  }

  @Test func aStackSurvivesItsFile() throws {
    let stack = HOGFeatures.dalalTriggsStack(
      DalalTriggsStack(layers: [
        DalalTriggsHOG(binCount: 18, orientation: .signed), DalalTriggsHOG(colourDifference: .blueYellow),
      ]))
    let detector = HOGDetector(
      features: stack, colour: .rgb, components: [component(5, rows: 5, columns: 3, hog: stack, bias: 0.25)])
    let bytes = try detector.modelFile(provenance: Provenance(command: "x", dataSets: [], seed: 1)).bytes()
    let read = try HOGDetector(modelFile: try ModelFile(bytes: bytes, name: "m"))
    #expect(read.features == stack && read.components == detector.components)
    let image = noise(7, width: 120, height: 100)
    #expect(read.detect(in: image) == detector.detect(in: image))
  }

  @Test func damagedFilesAreNamed() throws {
    let detector = HOGDetector(
      features: felzenszwalb, colour: .grey, components: [component(3, rows: 4, columns: 4, hog: felzenszwalb)])
    let good = try detector.modelFile(provenance: Provenance(command: "x", dataSets: [], seed: 1))
    func field(_ change: (inout ModelFile) -> Void) -> String? {
      var file = good
      change(&file)
      do {
        _ = try HOGDetector(modelFile: file)
        return nil
      } catch let error as InputError { return error.field } catch { return "\(error)" }
    }
    #expect(field { _ in } == nil)
    #expect(field { $0.kind = "cascade" } == "kind")
    #expect(field { $0.version = 2 } == "version")
    #expect(field { $0.options = "{}" } == "options.features")
    #expect(field { $0.tensors["component0.bias"] = nil } == "component0.bias")
    #expect(
      field { $0.tensors["component0.weights"] = Tensor([Float](repeating: 0, count: 16 * 31)) } == "component0.weights"
    )
    #expect(
      field { $0.tensors["component0.weights"] = Tensor([Float](repeating: .nan, count: 16 * 31), shape: [4, 4, 31]) }
        == "component0.weights")
    func uniform(_ value: Float) -> Tensor { Tensor([Float](repeating: value, count: 16 * 31), shape: [4, 4, 31]) }
    #expect(field { $0.tensors["component0.weights"] = uniform(3e38) } == "component0.weights")
    #expect(field { $0.tensors["component0.weights"] = uniform(-1e28) } == "component0.weights")
    #expect(field { $0.tensors["component0.bias"] = Tensor([Float(-3e38)]) } == "component0.bias")
    let window = "\"windowSize\":{\"height\":32,\"width\":32}"
    #expect(good.options.contains(window))
    func resized(_ text: String) -> String? {
      field { $0.options = $0.options.replacingOccurrences(of: window, with: "\"windowSize\":\(text)") }
    }
    #expect(resized("{\"height\":32,\"width\":99999999999}") == "components[0].windowSize")
    #expect(resized("{\"height\":32,\"width\":-8}") == "components[0].windowSize")
    #expect(resized("{\"height\":64,\"width\":32}") == "component0.weights")
    #expect(
      field { $0.options = $0.options.replacingOccurrences(of: "\"scaleFactor\":", with: "\"scaleFactor\":0,\"x\":") }
        != nil)
  }

  /// Weights just within what a file may hold give finite scores.
  @Test func greatestWeightsGiveFiniteScores() throws {
    var scan = ScanOptions()
    scan.threshold = -1e300
    scan.suppression = .none
    let detector = HOGDetector(
      features: felzenszwalb, colour: .grey, components: [component(3, rows: 4, columns: 4, hog: felzenszwalb)],
      scanOptions: scan)
    var file = try detector.modelFile(provenance: Provenance(command: "x", dataSets: [], seed: 1))
    let share = Float(HOGDetector.greatestScore * 0.99 / (16 * 31))
    file.tensors["component0.weights"] = Tensor([Float](repeating: share, count: 16 * 31), shape: [4, 4, 31])
    file.tensors["component0.bias"] = Tensor([Float(HOGDetector.greatestScore * 0.99)])
    let found = try HOGDetector(modelFile: file).detect(in: noise(7, width: 90, height: 80))
    #expect(!found.isEmpty && found.allSatisfy(\.score.isFinite))
  }

  @Test func scanOptionsAreChecked() {
    for change in [
      { $0.threshold = .nan }, { $0.minimumHeight = 0 }, { $0.maximumHeight = -1 }, { $0.scaleFactor = 1 },
      { $0.stride = 0 }, { $0.padding = -1 }, { $0.maximumDetections = -1 },
      {
        $0.minimumHeight = 50; $0.maximumHeight = 40
      }, { $0.suppression = .greedy(overlap: 2) },
      { $0.suppression = .groupRectangles(RectangleGrouping(threshold: -1)) }, { $0.sharedLevels = 0 },
      { $0.scoredStages = 0 },
      { $0.suppression = .greedy(GreedySuppression(accumulationFloor: .nan)) },
      {
        $0.levelRule = .openCV; $0.sharedLevels = 2
      },
    ] as [(inout ScanOptions) -> Void] {
      var options = ScanOptions()
      change(&options)
      #expect(throws: InputError.self) { try options.validate() }
    }
    #expect(throws: Never.self) { try ScanOptions().validate() }
    let detector = HOGDetector(
      features: felzenszwalb, colour: .grey, components: [component(3, rows: 4, columns: 4, hog: felzenszwalb)])
    #expect(throws: Never.self) { try detector.validate(ScanOptions(), source: "test") }
    var options = ScanOptions()
    options.scoredStages = 2
    #expect(throws: InputError.self, "a cascade's option") { try detector.validate(options, source: "test") }
  }

  /// Mirrored image, mirrored component: the same scores at mirrored places.
  @Test func mirroredComponentSeesTheMirroredImage() throws {
    // Felzenszwalb's vertical gradients go to one of two equally near bins, which mirroring exchanges.
    for (features, tolerance) in [(felzenszwalb, 0.08), (dalalTriggs, 1e-3)] {
      let order = try #require(features.mirroredChannelOrder)
      let filter = component(
        3, rows: 5, columns: 4, hog: features, region: Box(x: 0.1, y: 0.2, width: 0.5, height: 0.6))
      let turned = filter.mirrored(channelOrder: order, name: "m", mirrorOf: nil)
      var options = ScanOptions(padding: 0)
      options.scaleFactor = 16
      let image = try SyntheticPhotos(count: 1, seed: 8, width: 96, height: 80).image(at: 0)
      let plain = HOGDetector(features: features, colour: .grey, components: [filter])
        .windows(in: image, scoringAtLeast: -.infinity, options: options).windows
      let mirrored = HOGDetector(features: features, colour: .grey, components: [turned])
        .windows(in: image.mirrored(), scoringAtLeast: -.infinity, options: options).windows
      #expect(plain.count == mirrored.count && !plain.isEmpty)
      let columns = (plain.map(\.column).max() ?? 0)
      for window in plain {
        let other = try #require(mirrored.first { $0.row == window.row && $0.column == columns - window.column })
        #expect(abs(other.score - window.score) < tolerance)
        #expect(abs(other.box.x - (96 - window.box.maxX)) < 1e-9)
      }
    }
  }
}
