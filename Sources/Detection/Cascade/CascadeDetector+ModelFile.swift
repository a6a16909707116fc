import Execution
import Features
import Geometry
import Learning
import ModelFiles

extension CascadeDetector {
  /// What a model file calls a cascade.
  public static let modelKind = "cascade"
  /// Version of the layout that is written.
  ///
  /// Tensors: `feature.boxes` (features, 3, 4: x, y, width, height), `feature.weights` (features, 3) and `feature.tilted`
  /// (features) of Haar features, whose missing boxes have no size and no weight, or `feature.blocks` (features, 4) of
  /// block patterns; `stage.thresholds` and `stage.treeCounts` (stages); `tree.nodeCounts` (trees); `node.features`,
  /// `node.left`, `node.right` (nodes; above 0 a node of the tree, else a leaf) and `node.thresholds` (nodes) or
  /// `node.sets` (nodes, 8); `leaf.values` (one more a tree than nodes); `tree.traces` (trees) of soft cascades, whose
  /// stages the options name.
  public static let modelVersion = 1

  private struct Options: Codable {
    var features: FeatureKind
    var label: String
    var windowSize: PixelSize
    var objectRegion: Box
    var calibration: PlattScaling?
    var scan: ScanOptions
    /// Stages with a trace.
    var tracedStages: [Int]
  }

  private enum FeatureKind: String, Codable {
    case haar
    case blockPatterns
  }

  /// The detector as a file's content: the same bytes for the same detector and provenance.
  public func modelFile(provenance: Provenance) throws -> ModelFile {
    try modelFile(provenance: provenance, training: String?.none)
  }

  /// The same with the options that the detector was trained by, kept for the record; see ``trainingOptions(of:as:)``.
  public func modelFile(provenance: Provenance, training: (some Codable)?) throws -> ModelFile {
    var tensors: [String: Tensor] = [:]
    let isHaar: Bool
    switch features {
    case .haar(let features):
      isHaar = true
      let boxes = features.map { feature in (0..<3).map { $0 < feature.boxes.count ? feature.boxes[$0] : nil } }
      tensors["feature.boxes"] = Tensor(
        boxes.flatMap { $0 }.flatMap { box in
          box.map { [Int32($0.x), Int32($0.y), Int32($0.width), Int32($0.height)] } ?? [0, 0, 0, 0]
        }, shape: [features.count, 3, 4])
      tensors["feature.weights"] = Tensor(boxes.flatMap { $0 }.map { $0?.weight ?? 0 }, shape: [features.count, 3])
      tensors["feature.tilted"] = Tensor(features.map { $0.isTilted ? UInt8(1) : 0 })
    case .blockPatterns(let patterns):
      isHaar = false
      tensors["feature.blocks"] = Tensor(
        patterns.flatMap { [Int32($0.x), Int32($0.y), Int32($0.blockWidth), Int32($0.blockHeight)] },
        shape: [patterns.count, 4])
    }
    let trees = stages.flatMap(\.trees)
    let nodes = trees.flatMap(\.nodes)
    func code(_ branch: DecisionTree.Branch) -> Int32 {
      switch branch {
      case .node(let next): Int32(next)
      case .leaf(let leaf): Int32(-leaf)
      }
    }
    tensors["stage.thresholds"] = Tensor(stages.map(\.threshold))
    tensors["stage.treeCounts"] = Tensor(stages.map { Int32($0.trees.count) })
    tensors["tree.nodeCounts"] = Tensor(trees.map { Int32($0.nodes.count) })
    tensors["node.features"] = Tensor(nodes.map { Int32($0.feature) })
    tensors["node.left"] = Tensor(nodes.map { code($0.left) })
    tensors["node.right"] = Tensor(nodes.map { code($0.right) })
    tensors["leaf.values"] = Tensor(trees.flatMap(\.leaves))
    if isHaar {
      tensors["node.thresholds"] = Tensor(nodes.map { if case .below(let value) = $0.split { value } else { 0 } })
    } else {
      tensors["node.sets"] = Tensor(
        nodes.flatMap { node in
          if case .isIn(let set) = node.split { set.words.map { Int32(bitPattern: $0) } } else { [Int32]() }
        }, shape: [nodes.count, 8])
    }
    let traced = stages.indices.filter { stages[$0].trace != nil }
    if !traced.isEmpty {
      tensors["tree.traces"] = Tensor(stages.flatMap { $0.trace ?? Array(repeating: 0, count: $0.trees.count) })
    }
    let options = Options(
      features: isHaar ? .haar : .blockPatterns, label: label, windowSize: windowSize, objectRegion: objectRegion,
      calibration: calibration, scan: scanOptions, tracedStages: traced)
    return try ModelFile(
      kind: CascadeDetector.modelKind, version: CascadeDetector.modelVersion,
      options: ModelFile.json(Record(detector: options, training: training)), provenance: provenance,
      tensors: tensors
    ).checked { try CascadeDetector(modelFile: $0) }
  }

  private struct Record<Training: Codable>: Codable {
    var detector: Options
    var training: Training?
  }

  private struct TrainingRecord<Training: Codable>: Codable {
    var training: Training?
  }

  private struct DetectorRecord: Codable {
    var detector: Options
  }

  /// The options that a model file's detector was trained by, where it keeps them.
  /// - Throws: `InputError` for a file of another kind, and where they are of another type.
  public static func trainingOptions<Training: Codable>(
    of file: ModelFile, as type: Training.Type
  ) throws -> Training? {
    try file.expect(kind: modelKind, version: modelVersion)
    return try file.options(as: TrainingRecord<Training>.self).training
  }

  /// A detector from a model file.
  ///
  /// - Throws: `InputError` that names the tensor or the option that does not fit: no index in the file can lead outside,
  ///   no feature outside the window, no tree round in a circle.
  public init(modelFile file: ModelFile) throws {
    try file.expect(kind: CascadeDetector.modelKind, version: CascadeDetector.modelVersion)
    let options = try file.options(as: DetectorRecord.self).detector
    func failure(_ field: String, _ problem: String, _ found: String?, _ expected: String?) -> InputError {
      InputError(source: file.source, field: field, problem: problem, found: found, expected: expected)
    }
    let region = options.objectRegion
    guard
      region.isFinite && !region.isEmpty
        && [region.x, region.y, region.width, region.height].allSatisfy({
          abs($0) <= 16
        })
    else {
      throw failure("objectRegion", "cannot be used", "\(region)", "a box in fractions of the window")
    }
    if let calibration = options.calibration {
      guard calibration.a <= 0 && calibration.a.isFinite && calibration.b.isFinite else {
        throw failure("calibration", "cannot be used", "\(calibration)", "finite numbers, a at most 0")
      }
    }
    let features = try CascadeDetector.features(of: file, options.features)
    let stages = try CascadeDetector.stages(of: file, options)
    if let fault = CascadeDetector.fault(windowSize: options.windowSize, features: features, stages: stages) {
      let field =
        switch fault.place {
        case .window: "windowSize"
        case .feature(let index): "feature \(index)"
        case .stage(let index): "stage \(index)"
        case .tree(let stage, let tree): "stage \(stage), tree \(tree)"
        }
      throw failure(field, fault.problem, fault.found, fault.expected)
    }
    self.init(
      windowSize: options.windowSize, features: features, stages: stages, label: options.label, objectRegion: region,
      calibration: options.calibration, scanOptions: options.scan)
    try validate(options.scan, source: file.source)
  }

  private static func features(of file: ModelFile, _ kind: FeatureKind) throws -> CascadeFeatures {
    switch kind {
    case .haar:
      let sides = try file.integers("feature.boxes", shape: [nil, 3, 4])
      let count = sides.count / 12
      let weights = try file.floats("feature.weights", shape: [count, 3])
      let tilted = try file.integers("feature.tilted", shape: [count])
      return .haar(
        (0..<count).map { index in
          var boxes = (3 * index..<3 * index + 3).map { box in
            HaarFeature.WeightedBox(
              x: sides[4 * box], y: sides[4 * box + 1], width: sides[4 * box + 2], height: sides[4 * box + 3],
              weight: weights[box])
          }
          while boxes.count > 1, boxes.last?.weight == 0 { boxes.removeLast() }
          return HaarFeature(boxes: boxes, isTilted: tilted[index] != 0)
        })
    case .blockPatterns:
      let sides = try file.integers("feature.blocks", shape: [nil, 4])
      return .blockPatterns(
        stride(from: 0, to: sides.count, by: 4).map {
          BlockPattern(x: sides[$0], y: sides[$0 + 1], blockWidth: sides[$0 + 2], blockHeight: sides[$0 + 3])
        })
    }
  }

  private static func stages(of file: ModelFile, _ options: Options) throws -> [CascadeStage] {
    let thresholds = try file.floats("stage.thresholds", shape: [nil])
    let treeCounts = try file.integers("stage.treeCounts", shape: [thresholds.count])
    let nodeCounts = try file.integers("tree.nodeCounts", shape: [nil])
    let features = try file.integers("node.features", shape: [nil])
    let left = try file.integers("node.left", shape: [features.count])
    let right = try file.integers("node.right", shape: [features.count])
    /// Counts that add up to what is there, none negative: so no index made of them leads outside.
    func check(_ counts: [Int], _ field: String, _ total: Int, least: Int) throws {
      let fits = counts.allSatisfy { $0 >= least && $0 <= total } && counts.reduce(0, +) == total
      guard fits else {
        throw InputError(
          source: file.source, field: field, problem: "counts that do not add up",
          found: "\(counts.prefix(8).map(String.init).joined(separator: ", "))\(counts.count > 8 ? ", …" : "")",
          expected: "\(least) or more each, \(total) in all")
      }
    }
    try check(treeCounts, "stage.treeCounts", nodeCounts.count, least: 0)
    try check(nodeCounts, "tree.nodeCounts", features.count, least: 1)
    let leaves = try file.floats("leaf.values", shape: [features.count + nodeCounts.count])
    let isHaar = options.features == .haar
    let splits = isHaar ? try file.floats("node.thresholds", shape: [features.count]) : []
    let words = isHaar ? [] : try file.integers("node.sets", shape: [features.count, 8])
    let traces =
      options.tracedStages.isEmpty ? [] : try file.traces(count: nodeCounts.count)
    var node = 0
    var leaf = 0
    var tree = 0
    func branch(_ code: Int) -> DecisionTree.Branch { code > 0 ? .node(code) : .leaf(-code) }
    return treeCounts.enumerated().map { index, count in
      let first = tree
      var trees: [DecisionTree] = []
      for number in first..<first + count {
        let range = node..<node + nodeCounts[number]
        trees.append(
          DecisionTree(
            nodes: range.map { index in
              DecisionTree.Node(
                feature: features[index],
                split: isHaar
                  ? .below(splits[index])
                  : .isIn(
                    DecisionTree.CategorySet(
                      words: words[8 * index..<8 * index + 8].map { UInt32(truncatingIfNeeded: $0) })),
                left: branch(left[index]), right: branch(right[index]))
            }, leaves: Array(leaves[leaf..<leaf + range.count + 1])))
        node = range.upperBound
        leaf += range.count + 1
      }
      tree += count
      return CascadeStage(
        trees: trees, threshold: thresholds[index],
        trace: options.tracedStages.contains(index) ? Array(traces[first..<first + count]) : nil)
    }
  }
}

extension ModelFile {
  /// Rejection traces; minus infinity means that a tree rejects nothing.
  fileprivate func traces(count: Int) throws -> [Float] {
    guard let values = try tensor("tree.traces", shape: [count]).floats() else {
      throw InputError(source: source, field: "tree.traces", problem: "a tensor of another type", expected: "F32")
    }
    return values
  }
}
