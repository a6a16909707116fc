import Execution
import Features
import Geometry
import Imaging

/// One image being scanned by one detector.
struct PyramidScan: Sendable {
  let detector: HOGDetector
  let options: ScanOptions
  let plan: ScanPlan
  private let octaves: ImageOctaves
  private let spare = SpareLevels()

  init(detector: HOGDetector, image: ByteImage, options: ScanOptions) {
    self.detector = detector
    self.options = options
    plan = ScanPlan(
      imageSize: image.size, cellSize: detector.features.cellSize, components: detector.components, options: options)
    let source = detector.colour == .grey ? image.grey() : image
    let least = plan.levels.map(\.size).min { $0.width < $1.width } ?? image.size
    octaves = ImageOctaves(source, smallest: options.levelRule == .openCV ? image.size : least)
  }

  /// The levels, in runs that share one computed feature map.
  ///
  /// Runs depend on the plan alone, so that the answer does not depend on who scans them.
  var groups: [Range<Int>] {
    stride(from: 0, to: plan.levels.count, by: options.sharedLevels).map {
      $0..<min($0 + options.sharedLevels, plan.levels.count)
    }
  }

  /// The windows of neighbouring levels, a scan a level.
  func scan(group: Range<Int>, floor: Double) -> [WindowScan] {
    let computed = PyramidScan.computedLevel(of: group)
    var memory = spare.take()
    defer { spare.giveBack(memory) }
    compute(level: computed, in: &memory)
    return group.map { level in
      if level == computed { return scan(level: level, map: memory.computed, floor: floor) }
      interpolate(&memory.interpolated, level: level, from: memory.computed, of: computed)
      return scan(level: level, map: memory.interpolated, floor: floor)
    }
  }

  /// The feature map of a level, padding included.
  func map(level index: Int) -> FeatureMap {
    let group = groups[index / options.sharedLevels]
    let computed = PyramidScan.computedLevel(of: group)
    var memory = spare.take()
    compute(level: computed, in: &memory)
    var map = FeatureMap.empty
    if computed == index {
      swap(&map, &memory.computed)
    } else {
      interpolate(&map, level: index, from: memory.computed, of: computed)
    }
    spare.giveBack(memory)
    return map
  }

  /// The middle one, so that no level is far away; of two middles the larger image.
  private static func computedLevel(of group: Range<Int>) -> Int {
    group.lowerBound + (group.count - 1) / 2
  }

  /// The map that a level would have, from that of a level near it.
  private func interpolate(_ map: inout FeatureMap, level index: Int, from source: FeatureMap, of computed: Int) {
    let level = plan.levels[index]
    let near = plan.levels[computed]
    let features = detector.features
    let cell = Double(features.cellSize)
    let middle = Double(features.placeExtent) / 2
    /// A place's middle in pixels of its level's image, scaled to the other's, in places of the other.
    func sampling(_ side: Int, _ nearSide: Int) -> PlaceSampling {
      let ratio = Double(nearSide) / Double(side)
      let origin = ((middle - Double(level.padding)) * ratio + Double(near.padding) - middle) / cell
      return PlaceSampling(origin: origin, step: ratio)
    }
    map.fill(
      size: features.mapSize(forImage: level.paddedSize), from: source,
      rows: sampling(level.size.height, near.size.height), columns: sampling(level.size.width, near.size.width))
  }

  private func compute(level index: Int, in memory: inout LevelMemory) {
    let level = plan.levels[index]
    switch options.levelRule {
    case .openCV:
      detector.features.fill(
        &memory.computed, with: octaves.full.resizedAsOpenCV(to: level.size), padding: options.padding)
    case .exact:
      octaves.write(
        level: level.size, into: &memory.image, left: level.padding, top: level.padding, frame: level.paddedSize)
      detector.features.fill(&memory.computed, with: memory.image)
    }
  }

  /// The windows of one level that score at least `floor`.
  func scan(level index: Int, map: FeatureMap, floor: Double) -> WindowScan {
    let level = plan.levels[index]
    let scores = detector.bank.scores(of: map, active: level.active)
    var windows: [ScannedWindow] = []
    var scannedCounts = Array(repeating: 0, count: scores.count)
    for (component, scores) in scores.enumerated() where !scores.values.isEmpty {
      let step = options.stride
      scannedCounts[component] = ((scores.rows + step - 1) / step) * ((scores.columns + step - 1) / step)
      let floor = Float(floor)
      scores.values.withUnsafeBufferPointer { values in
        for row in stride(from: 0, to: scores.rows, by: step) {
          for column in stride(from: 0, to: scores.columns, by: step) {
            let score = values[row * scores.columns + column]
            if score >= floor {
              windows.append(
                ScannedWindow(
                  component: component, level: index, row: row, column: column, score: Double(score),
                  box: box(component: component, level: level, row: row, column: column)))
            }
          }
        }
      }
    }
    return WindowScan(windows: windows, scannedCounts: scannedCounts)
  }

  func box(component: Int, level: ScanLevel, row: Int, column: Int) -> Box {
    let component = detector.components[component]
    return component.object(
      ofWindow: plan.window(level: level, row: row, column: column, windowSize: component.windowSize))
  }
}
