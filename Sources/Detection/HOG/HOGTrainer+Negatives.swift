import Execution
import Features
import Geometry
import Imaging
import Learning

extension HOGTrainer {
  /// What one photo gives to the trained components, in the order of `trained`.
  private struct PhotoNegatives: Sendable {
    var candidates: [[NegativeCandidate]]
    var scanned: [Int]
    var falsePositives: [Int]

    init(_ count: Int) {
      candidates = Array(repeating: [], count: count)
      scanned = Array(repeating: 0, count: count)
      falsePositives = Array(repeating: 0, count: count)
    }
  }

  /// Whether the photo is searched for negatives.
  private func isMined(_ photo: Int) -> Bool {
    (!photos.isAnnotated(photo) || options.minesAnnotatedPhotos) && photos.allowsNegatives(at: photo)
  }

  /// The photos that a round searches: every so-and-so-many of them, beginning one further on each round.
  func searchedPhotos(round: Int) -> [Int] {
    let all = (0..<photos.count).filter(isMined)
    guard let limit = options.photosPerRound, limit < all.count else { return all }
    let offset = (round - 1) % max(1, all.count / limit)
    return (0..<limit).map { all[min(all.count - 1, $0 * all.count / limit + offset)] }
  }

  /// Whether a window that reports `box` may be a negative of a photo with these annotations.
  func isNegative(_ box: Box, _ annotations: [Annotation]) -> Bool {
    for annotation in annotations {
      if annotation.isIgnored {
        if box.coveredShare(by: annotation.box) >= options.negativeOverlapLimit { return false }
      } else if layouts.contains(where: { $0.isKnown(annotation.label) }) {
        if box.intersectionOverUnion(annotation.box) >= options.negativeOverlapLimit { return false }
      }
    }
    return true
  }

  /// How photos are scanned while mining: every window counts, whatever the detector is later asked for.
  private var miningScan: ScanOptions {
    var scan = options.scan
    scan.suppression = .none
    scan.upsampling = options.miningUpsampling ?? scan.upsampling
    scan.maximumDetections = nil
    return scan
  }

  // MARK: Random negatives

  /// Draws the negatives of the first training.
  func drawNegatives(into state: inout TrainingState) throws {
    let searched = (0..<photos.count).filter(isMined)
    guard !searched.isEmpty else {
      throw InputError(
        source: "training photos", problem: "no negatives", found: "no background photos, and annotated ones not mined",
        expected: "photos to take negatives from", hint: "give background photos, or mine the annotated ones")
    }
    let detector = detector(state, all: false)
    // A draw may fall on an object or on a place drawn before; what is short in one photo is not made up by others.
    let wanted = (options.randomNegatives + searched.count - 1) / searched.count
    // What is on its way in has a quarter of the memory, a third of what the samples take. Where more is wanted, places
    // alone are drawn, and features computed of those that there is room for: the same ones, at the cost of reading twice.
    let fits = trained.allSatisfy { wanted * searched.count <= state.capacity[$0] / 3 }
    var drawn: [[NegativeCandidate]] = Array(repeating: [], count: trained.count)
    progress.receive(.began(phase: "drawing negatives", total: searched.count))
    for batch in TrainingPhotos.batches(of: searched.count) {
      try cancellation.check()
      let parts = try executor.map(batch.count) { offset in
        try self.randomNegatives(
          photo: searched[batch.lowerBound + offset], wanted: wanted, detector: detector, takesFeatures: fits)
      }
      for part in parts {
        for number in trained.indices { drawn[number] += part.candidates[number] }
      }
      for (offset, part) in parts.enumerated() where part.scanned.allSatisfy({ $0 == 0 }) {
        let note =
          "\(photos.name(at: searched[batch.lowerBound + offset])): smaller than the window, so it gives no negatives"
        state.report.notes.append(note)
        progress.receive(.warning(note))
      }
      progress.receive(.advanced(completed: batch.upperBound))
    }
    progress.receive(.ended)
    for (number, index) in trained.enumerated() {
      let room = state.capacity[index] - state.samples[index].count
      // Where more were drawn than there is room for, every so-and-so-many is taken: all photos keep their share.
      let limit = min(room, options.randomNegatives)
      let all = drawn[number]
      let kept = all.count <= limit ? all : (0..<limit).map { all[$0 * all.count / limit] }
      guard !kept.isEmpty else {
        throw InputError(
          source: "training photos", problem: "no negatives for component \"\(layouts[index].options.name)\"",
          found: "\(searched.count) photos without a window that is free of objects",
          expected: "photos larger than the window of \(layouts[index].windowSize.width) x "
            + "\(layouts[index].windowSize.height) pixels", hint: "give larger background photos")
      }
      state.mined[index] = TrainingState.Mined(scanned: all.count)
      state.reserve(
        negatives: kept.count, expected: options.rounds * options.negativesPerRound, component: index)
      if fits {
        state.add(kept, component: index)
      } else {
        try add(places: kept.map(\.key).sorted(), into: &state, component: number, detector: detector)
      }
      let asked = min(all.count, options.randomNegatives)
      tellMemory(&state, component: index, kept: kept.count, of: asked, what: "random negatives")
    }
  }

  /// Adds the negatives at these places, in rising order, in blocks that keep what is on its way in small.
  private func add(
    places: [WindowKey], into state: inout TrainingState, component number: Int, detector: HOGDetector
  ) throws {
    let index = trained[number]
    for start in stride(from: 0, to: places.count, by: 4096) {
      let block = Array(places[start..<min(places.count, start + 4096)])
      let features = try features(of: block, component: number, detector: detector)
      state.add(
        zip(block, features).map { NegativeCandidate(key: $0, score: 0, features: $1) }, component: index)
    }
    state.mined[index].new = places.count
  }

  /// Says, once a component, that the memory had no room for negatives that were asked for and found.
  private func tellMemory(_ state: inout TrainingState, component index: Int, kept: Int, of asked: Int, what: String) {
    let start = "component \"\(layouts[index].options.name)\": no room for all negatives"
    guard kept < asked, !state.report.notes.contains(where: { $0.hasPrefix(start) }) else { return }
    let note =
      "\(start): \(asked - kept) of \(asked) \(what) are left out; raise the memory for samples (--memory, "
      + "sampleMemory; now \(options.sampleMemory) MB)"
    state.report.notes.append(note)
    progress.receive(.warning(note))
  }

  /// Draws that a photo is good for, however many are wanted: far more than it has windows find nothing new.
  private func drawLimit(wanted: Int, windows: Int) -> Int {
    min(wanted * 4, max(65_536, 64 * windows))
  }

  private func randomNegatives(
    photo: Int, wanted: Int, detector: HOGDetector, takesFeatures: Bool
  ) throws -> PhotoNegatives {
    var result = PhotoNegatives(trained.count)
    let scan = PyramidScan(detector: detector, image: try photos.image(at: photo), options: miningScan)
    let annotations = photos.annotations(at: photo)
    let features = options.features
    var random = RandomStream(seed: options.seed, stream: 0xBAC << 40 | UInt64(photo))
    var chosen: [Int: [(number: Int, row: Int, column: Int)]] = [:]
    for number in trained.indices {
      let component = detector.components[number]
      let levels = scan.plan.levels.indices.filter { scan.plan.levels[$0].active[number] }
      guard !levels.isEmpty else { continue }
      let windows = levels.reduce(0) { sum, level in
        let size = features.mapSize(forImage: scan.plan.levels[level].paddedSize)
        return sum + (size.rows - component.rows + 1) * (size.columns - component.columns + 1)
      }
      var seen = Set<WindowKey>()
      for draw in 0..<drawLimit(wanted: wanted, windows: windows) {
        if seen.count >= wanted { break }
        if draw % 4096 == 0 { try cancellation.check() }
        let level = levels[random.index(below: levels.count)]
        let size = features.mapSize(forImage: scan.plan.levels[level].paddedSize)
        let row = random.index(below: size.rows - component.rows + 1)
        let column = random.index(below: size.columns - component.columns + 1)
        result.scanned[number] += 1
        let box = scan.box(component: number, level: scan.plan.levels[level], row: row, column: column)
        guard isNegative(box, annotations), seen.insert(key(photo, level, row, column)).inserted else { continue }
        chosen[level, default: []].append((number, row, column))
      }
    }
    for (level, places) in chosen.sorted(by: { $0.key < $1.key }) {
      guard takesFeatures else {
        for place in places {
          result.candidates[place.number].append(
            NegativeCandidate(key: key(photo, level, place.row, place.column), score: 0, features: []))
        }
        continue
      }
      let map = scan.map(level: level)
      for place in places {
        let component = detector.components[place.number]
        result.candidates[place.number].append(
          NegativeCandidate(
            key: key(photo, level, place.row, place.column), score: 0,
            features: map.part(
              row: place.row, column: place.column, rows: component.rows, columns: component.columns)))
      }
    }
    return result
  }

  private func key(_ photo: Int, _ level: Int, _ row: Int, _ column: Int) -> WindowKey {
    WindowKey(photo: Int32(photo), level: Int32(level), row: Int32(row), column: Int32(column))
  }

  // MARK: Hard negatives

  /// Scans all photos and adds the hardest windows without an object.
  func mineNegatives(into state: inout TrainingState, round: Int) throws {
    let searched = searchedPhotos(round: round)
    let detector = detector(state, all: false)
    let known = trained.map { Set(state.keys[$0]) }
    // The windows on their way in have a quarter of the memory, a third of what the samples take.
    let limits = trained.map { index in
      min(
        options.negativesPerRound, max(1, state.capacity[index] / 3),
        max(1, state.capacity[index] - state.positiveCounts[index]))
    }
    var hardest: [[NegativeCandidate]] = Array(repeating: [], count: trained.count)
    var found = trained.map { _ in TrainingState.Mined() }
    var offered = trained.map { _ in 0 }
    progress.receive(.began(phase: "mining, round \(round)", total: searched.count))
    for batch in TrainingPhotos.batches(of: searched.count) {
      try cancellation.check()
      let parts = try executor.map(batch.count) { offset in
        try self.hardNegatives(
          photo: searched[batch.lowerBound + offset], detector: detector, known: known, limits: limits)
      }
      for number in trained.indices {
        for part in parts {
          hardest[number] += part.candidates[number]
          offered[number] += part.candidates[number].count
          found[number].scanned += part.scanned[number]
          found[number].falsePositives += part.falsePositives[number]
        }
        if hardest[number].count > limits[number] {
          hardest[number].sort(by: NegativeCandidate.precedes)
          hardest[number].removeLast(hardest[number].count - limits[number])
        }
      }
      progress.receive(.advanced(completed: batch.upperBound))
    }
    progress.receive(.ended)
    for (number, index) in trained.enumerated() {
      state.mined[index] = found[number]
      state.add(hardest[number], component: index)
      tellMemory(
        &state, component: index, kept: hardest[number].count, of: min(offered[number], options.negativesPerRound),
        what: "hard negatives of round \(round)")
    }
  }

  private func hardNegatives(
    photo: Int, detector: HOGDetector, known: [Set<WindowKey>], limits: [Int]
  ) throws -> PhotoNegatives {
    var result = PhotoNegatives(trained.count)
    let scan = PyramidScan(detector: detector, image: try photos.image(at: photo), options: miningScan)
    let annotations = photos.annotations(at: photo)
    var maps: [FeatureMap] = []
    var windows: [[ScannedWindow]] = Array(repeating: [], count: trained.count)
    for level in scan.plan.levels.indices {
      let map = scan.map(level: level)
      maps.append(map)
      let found = scan.scan(level: level, map: map, floor: options.miningThreshold)
      for number in trained.indices { result.scanned[number] += found.scannedCounts[number] }
      for window in found.windows where isNegative(window.box, annotations) {
        windows[window.component].append(window)
        if window.score > 0 { result.falsePositives[window.component] += 1 }
      }
    }
    for number in trained.indices {
      let component = detector.components[number]
      result.candidates[number] = hardest(
        of: windows[number], photo: photo, known: known[number], limit: min(options.negativesPerPhoto, limits[number])
      ).map { window in
        NegativeCandidate(
          key: key(photo, window.level, window.row, window.column), score: window.score,
          features: maps[window.level].part(
            row: window.row, column: window.column, rows: component.rows, columns: component.columns))
      }
    }
    return result
  }

  /// The hardest windows of a photo that are not known yet, without those that nearly repeat a harder one, known or not.
  ///
  /// It stops at the photo's share: a weak detector finds millions of windows, of which few are wanted.
  private func hardest(
    of windows: [ScannedWindow], photo: Int, known: Set<WindowKey>, limit: Int
  ) -> [ScannedWindow] {
    let order = windows.indices.map { (score: windows[$0].score, index: $0) }.sorted { a, b in
      a.score != b.score ? a.score > b.score : a.index < b.index
    }
    var hardest: [ScannedWindow] = []
    var kept: [Box] = []
    var grid = BoxGrid()
    for (_, index) in order {
      let window = windows[index]
      if options.miningOverlap < 1 {
        var repeats = false
        grid.visit(near: window.box) { rank in
          repeats = repeats || window.box.intersectionOverUnion(kept[rank]) > options.miningOverlap
        }
        if repeats { continue }
        grid.insert(window.box, rank: kept.count)
        kept.append(window.box)
      }
      if known.contains(key(photo, window.level, window.row, window.column)) { continue }
      hardest.append(window)
      if hardest.count == limit { break }
    }
    return hardest
  }

  // MARK: Known negatives

  /// The features of windows that a checkpoint names, in the order of the keys.
  func features(of keys: [WindowKey], component number: Int, detector: HOGDetector) throws -> [[Float]] {
    let byPhoto = Dictionary(grouping: keys.indices) { keys[$0].photo }.sorted { $0.key < $1.key }
    let component = detector.components[number]
    let parts = try executor.map(byPhoto.count) { position -> [(Int, [Float])] in
      try cancellation.check()
      let (photo, indices) = byPhoto[position]
      let scan = PyramidScan(detector: detector, image: try photos.image(at: Int(photo)), options: miningScan)
      var result: [(Int, [Float])] = []
      for (level, indices) in Dictionary(grouping: indices, by: { keys[$0].level }).sorted(by: { $0.key < $1.key }) {
        guard scan.plan.levels.indices.contains(Int(level)) else { throw Checkpoint.damaged }
        let map = scan.map(level: Int(level))
        for index in indices {
          let key = keys[index]
          guard key.row >= 0, key.column >= 0, Int(key.row) + component.rows <= map.rows,
            Int(key.column) + component.columns <= map.columns
          else { throw Checkpoint.damaged }
          result.append(
            (
              index,
              map.part(
                row: Int(key.row), column: Int(key.column), rows: component.rows, columns: component.columns)
            ))
        }
      }
      return result
    }
    var features: [[Float]] = Array(repeating: [], count: keys.count)
    for part in parts {
      for (index, values) in part { features[index] = values }
    }
    return features
  }
}
