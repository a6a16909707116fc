import Execution
import Features
import Geometry
import Imaging
import Learning

#if canImport(Glibc)
  import Glibc
#endif

extension HOGTrainer {
  /// What one annotated photo gives to the components.
  struct PhotoPositives: Sendable {
    /// For each trained component, the feature vectors one after the other.
    var samples: [[Float]]
    var unreachable: [UnreachableBox] = []
    var targets = 0
  }

  /// Overlap that a window's object must be able to reach with a box for the box to be learnt from.
  static let reachableOverlap = 0.5

  /// The windows of one photo's objects.
  func positives(photo index: Int) throws -> PhotoPositives {
    var result = PhotoPositives(samples: Array(repeating: [], count: layouts.count))
    let annotations = photos.annotations(at: index)
    let wanted = annotations.enumerated().flatMap { number, annotation in
      annotation.isIgnored || annotation.box.isEmpty
        ? [] : layouts.indices.filter { layouts[$0].takes(annotation) }.map { (number, annotation, $0) }
    }
    guard !wanted.isEmpty else { return result }
    let image = prepared(try photos.image(at: index))
    guard image.width > 0 && image.height > 0 else { return result }
    let octaves = ImageOctaves(image, smallest: PixelSize(width: 16, height: 16))
    let plan = ScanPlan(
      imageSize: image.size, cellSize: options.features.cellSize, components: layoutDetector.components,
      options: options.scan)
    for (number, annotation, component) in wanted {
      result.targets += 1
      let layout = layouts[component]
      let object = shaped(annotation.box, to: layout)
      if let unreachable = unreachable(
        annotation.box, object: object, component: component, plan: plan, image: photos.name(at: index))
      {
        result.unreachable.append(unreachable)
        continue
      }
      // A stream for each object: its copies do not depend on what else is labelled in the photo.
      var random = RandomStream(seed: options.seed, stream: UInt64(index) << 20 | UInt64(number))
      let tilt = options.levelling?.tilt(of: annotation) ?? 0
      for copy in 0...photos.copies(at: index, default: options.jitterCopies) {
        let placed = copy == 0 ? object : jittered(object, using: &random)
        var appearance = appearance(isCopy: copy > 0, using: &random)
        let turn = appearance.rotation
        // Of an object of a mirror component the mirrored window is a positive of the trained one.
        let turns = layout.isMirror ? [true] : options.mirrorsPositives ? [false, true] : [false]
        for turned in turns {
          // Where an asymmetric window is mirrored for its own component, the object must land in the same region.
          let region =
            turned && !layout.isMirror ? HOGTrainer.mirrored(layout.objectRegion) : layout.objectRegion
          let window = WindowCutter.window(ofObject: placed, region: region)
          // What is mirrored after the cut must be tilted the other way before.
          appearance.rotation = turn + tilt - (turned ? -layout.tilt : layout.tilt)
          result.samples[layout.trained] += WindowCutter(features: options.features).descriptor(
            octaves, window: window, size: layout.windowSize, mirrored: turned, appearance: appearance,
            pivot: placed.center, noise: random)
        }
      }
    }
    return result
  }

  static func mirrored(_ region: Box) -> Box {
    Box(x: 1 - region.maxX, y: region.y, width: region.width, height: region.height)
  }

  /// The annotated box brought to the shape of the window's object, about its centre.
  func shaped(_ box: Box, to layout: ComponentLayout) -> Box {
    let width = layout.objectRegion.width * Double(layout.windowSize.width)
    let height = layout.objectRegion.height * Double(layout.windowSize.height)
    return WindowCutter.shaped(box, to: (width, height), by: options.boxMapping)
  }

  private func jittered(_ object: Box, using random: inout RandomStream) -> Box {
    let dx = random.uniform(in: -1..<1) * options.jitterShift * object.width
    let dy = random.uniform(in: -1..<1) * options.jitterShift * object.height
    let scale = exp(random.uniform(in: -1..<1) * log(1 + options.jitterScale))
    return object.translated(x: dx, y: dy).resized(by: scale)
  }

  /// How the object itself or a copy of it is cut.
  private func appearance(isCopy: Bool, using random: inout RandomStream) -> SampleAppearance {
    var appearance = SampleAppearance()
    if isCopy, let degradation = options.degradation {
      appearance = SampleAppearance(degradation, using: &random)
    }
    if isCopy, let limit = options.jitterRotation {
      appearance.rotation = random.uniform(in: -1..<1) * limit * Double.pi / 180
    }
    return appearance
  }

  /// Why no window answers to a box, or `nil` where one does.
  func unreachable(_ box: Box, object: Box, component: Int, plan: ScanPlan, image: String) -> UnreachableBox? {
    let layout = layouts[component]
    func because(_ reason: UnreachableBox.Reason, _ overlap: Double, _ text: String) -> UnreachableBox {
      UnreachableBox(
        image: image, box: box, component: layout.options.name, reason: reason, overlap: overlap, explanation: text)
    }
    func side(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    let visible = box.coveredShare(by: Box(plan.imageSize))
    let size = "\(plan.imageSize.width) x \(plan.imageSize.height)"
    if visible == 0 {
      return because(.outside, 0, "it lies outside the photo of \(size): check the annotation")
    }
    let ideal = box.intersectionOverUnion(object)
    let objectSize = layoutDetector.components[component].objectSize
    if ideal < HOGTrainer.reachableOverlap {
      let aspect = (box.width / box.height * 100).rounded() / 100
      let wanted = (objectSize.width / objectSize.height * 100).rounded() / 100
      return because(
        .aspect, ideal,
        "its width over height is \(aspect), the window's object has \(wanted): take a window of that shape "
          + "(--window, or another --preset), or map boxes otherwise than by \(options.boxMapping.rawValue) (boxMapping)"
      )
    }
    let scale = object.height / objectSize.height
    if scale * options.largestEnlargement < 1 - 1e-9 {
      return because(
        .size, ideal,
        "it is \(side(box.width)) x \(side(box.height)) pixels and would have to be enlarged "
          + "\((100 / scale).rounded() / 100) times to fill the window's object of \(side(objectSize.width)) x "
          + "\(side(objectSize.height)): take a smaller window, or allow more than \(options.largestEnlargement)")
    }
    // Only where the scan reaches its size can the grid be at fault. Of what is cut for another size most must be seen:
    // the rest of the sample is the border's pixels, repeated.
    let scales = plan.levels.filter { $0.active[component] }
    let reach = options.scan.scaleFactor.squareRoot() * (1 + 1e-9)
    guard let finest = scales.map(\.nominalScale).max(), scale * finest * reach >= 1 else {
      if visible >= HOGTrainer.reachableOverlap { return nil }
      return because(
        .outside, visible,
        "only \((visible * 100).rounded() / 100) of it lies in the photo of \(size): check the annotation")
    }
    var best = 0.0
    var wasHeldBack = false
    for level in scales {
      let found = nearest(object, component: component, level: level, plan: plan)
      let overlap = box.intersectionOverUnion(found.box)
      if overlap > best {
        best = overlap
        wasHeldBack = found.isAtEdge
      }
    }
    if best >= HOGTrainer.reachableOverlap { return nil }
    if wasHeldBack || scales.isEmpty {
      return because(
        .border, best,
        "it lies so near the border that no window inside the padding overlaps it by more than "
          + "\((best * 100).rounded() / 100): take more padding than \(options.scan.padding) cells")
    }
    return because(
      .cellRounding, best,
      "the nearest window overlaps it by \((best * 100).rounded() / 100): take smaller cells or stride, or more scales "
        + "an octave")
  }

  /// Names the first objects of each reason, then counts all: there may be thousands, and the report lists every one.
  func tellUnreachable(_ boxes: [UnreachableBox], of targets: Int) {
    guard !boxes.isEmpty else { return }
    let byReason = Dictionary(grouping: boxes, by: \.reason).sorted { $0.key.rawValue < $1.key.rawValue }
    for (_, boxes) in byReason {
      for box in boxes.prefix(HOGTrainer.namedUnreachable) {
        progress.receive(
          .warning(
            "\(box.image): the box \(box.box.words) is out of "
              + "reach of component \"\(box.component)\": \(box.explanation)"))
      }
    }
    guard byReason.contains(where: { $0.value.count > HOGTrainer.namedUnreachable }) else { return }
    let counts = byReason.map { "\($0.value.count) by \($0.key.rawValue)" }.joined(separator: ", ")
    progress.receive(
      .warning(
        "\(boxes.count) of \(targets) objects are out of reach (\(counts)); the training's report lists them all"))
  }

  /// Unreachable objects of one reason that are told by name.
  static let namedUnreachable = 3

  /// The object of the level's window nearest to where it should be, and whether the map's edge kept it away.
  private func nearest(
    _ object: Box, component: Int, level: ScanLevel, plan: ScanPlan
  ) -> (box: Box, isAtEdge: Bool) {
    let layout = layoutDetector.components[component]
    let size = options.features.mapSize(forImage: level.paddedSize)
    let cell = Double(options.features.cellSize)
    let stride = Double(options.scan.stride)
    // The window that has the object's centre, at this level's own scale.
    let factorX = Double(level.size.width) / Double(plan.imageSize.width)
    let factorY = Double(level.size.height) / Double(plan.imageSize.height)
    let region = layout.objectRegion
    let left =
      object.center.x * factorX - (region.x + region.width / 2) * Double(layout.windowSize.width)
      + Double(level.padding)
    let top =
      object.center.y * factorY - (region.y + region.height / 2) * Double(layout.windowSize.height)
      + Double(level.padding)
    let column = (left / cell / stride).rounded() * stride
    let row = (top / cell / stride).rounded() * stride
    let heldColumn = max(0, min(column, Double(size.columns - layout.columns)))
    let heldRow = max(0, min(row, Double(size.rows - layout.rows)))
    let window = plan.window(
      level: level, row: Int(heldRow), column: Int(heldColumn), windowSize: layout.windowSize)
    return (layout.object(ofWindow: window), heldColumn != column || heldRow != row)
  }
}

extension FeatureMap {
  /// The values of a part of the map, without padding between places: channel fastest, then column, then row.
  func part(row: Int, column: Int, rows: Int, columns: Int) -> [Float] {
    precondition(row >= 0 && column >= 0 && row + rows <= self.rows && column + columns <= self.columns)
    let channels = channelCount
    return [Float](unsafeUninitializedCapacity: rows * columns * channels) { buffer, filled in
      filled = rows * columns * channels
      values.withUnsafeBufferPointer { source in
        for r in 0..<rows {
          for c in 0..<columns {
            (buffer.baseAddress! + (r * columns + c) * channels).update(
              from: source.baseAddress! + ((row + r) * self.columns + column + c) * channelStride, count: channels)
          }
        }
      }
    }
  }
}
