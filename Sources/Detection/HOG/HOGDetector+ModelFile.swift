import Execution
import Features
import Geometry
import Learning
import ModelFiles

extension HOGDetector {
  /// What a model file calls a HOG detector.
  public static let modelKind = "hog-detector"
  /// Version of the layout that is written: tensors `component<i>.weights` (rows, columns, channels) and
  /// `component<i>.bias` (1), with windows, labels and features in the options.
  public static let modelVersion = 1

  /// What the sizes of a component's weights may add up to, and its bias be: features are about 1 at most, so single
  /// precision has room for every score and all sums on the way to it. Trained detectors are below 1000.
  static let greatestScore = 1e30

  /// Components that a file may hold.
  static let componentLimit = 1024

  private struct Options: Codable {
    var features: HOGFeatures
    var colour: Colour
    var components: [Component]
    var scan: ScanOptions
    var training: HOGTrainerOptions?
  }

  private struct Component: Codable {
    var label: String
    var name: String
    var windowSize: PixelSize
    var objectRegion: Box
    var calibration: PlattScaling?
    var mirrorOf: Int?
  }

  /// The detector as a file's content: the same bytes for the same detector and provenance.
  ///
  /// - Parameter training: the options it was trained by, kept for the record.
  /// - Throws: `InputError` for a detector that could not be read again.
  public func modelFile(provenance: Provenance, training: HOGTrainerOptions? = nil) throws -> ModelFile {
    let options = Options(
      features: features, colour: colour,
      components: components.map { component in
        Component(
          label: component.label, name: component.name, windowSize: component.windowSize,
          objectRegion: component.objectRegion, calibration: component.calibration, mirrorOf: component.mirrorOf)
      }, scan: scanOptions, training: training)
    var tensors: [String: Tensor] = [:]
    for (index, component) in components.enumerated() {
      tensors["component\(index).weights"] = Tensor(
        component.weights, shape: [component.rows, component.columns, component.channelCount])
      tensors["component\(index).bias"] = Tensor([component.bias], shape: [1])
    }
    return try ModelFile(
      kind: HOGDetector.modelKind, version: HOGDetector.modelVersion, options: ModelFile.json(options),
      provenance: provenance, tensors: tensors
    ).checked { try HOGDetector(modelFile: $0) }
  }

  /// A detector from a model file.
  ///
  /// - Throws: `InputError` for a file of another kind or version, options out of range, and tensors whose shapes do not
  ///   follow from the options or whose values are not finite or so large that scores would not be.
  public init(modelFile file: ModelFile) throws {
    try file.expect(kind: HOGDetector.modelKind, version: HOGDetector.modelVersion)
    let options = try file.options(as: Options.self)
    try options.features.validate(source: file.source)
    try options.scan.validate(source: file.source)
    func require(_ holds: Bool, _ field: String, _ found: Any, _ expected: String) throws {
      if !holds {
        throw InputError(
          source: file.source, field: field, problem: "cannot be used", found: "\(found)", expected: expected)
      }
    }
    try require(
      (1...HOGDetector.componentLimit).contains(options.components.count), "components", options.components.count,
      "1 to \(HOGDetector.componentLimit)")
    var components: [HOGComponent] = []
    for (index, stored) in options.components.enumerated() {
      let field = "components[\(index)]"
      let window = stored.windowSize
      try require(
        (1...4096).contains(window.width) && (1...4096).contains(window.height), "\(field).windowSize",
        "\(window.width) x \(window.height)", "1 to 4096 pixels a side")
      let region = stored.objectRegion
      try require(
        region.isFinite && !region.isEmpty
          && [region.x, region.y, region.width, region.height].allSatisfy { abs($0) <= 16 },
        "\(field).objectRegion", region, "a box in fractions of the window")
      if let calibration = stored.calibration {
        try require(
          calibration.a <= 0 && calibration.a.isFinite && calibration.b.isFinite, "\(field).calibration", calibration,
          "finite numbers, a at most 0")
      }
      if let other = stored.mirrorOf {
        try require(
          options.components.indices.contains(other) && other != index, "\(field).mirrorOf", other,
          "the index of another component")
      }
      let places = options.features.windowMapSize(window)
      try require(
        places.rows > 0 && places.columns > 0, "\(field).windowSize", "\(window.width) x \(window.height)",
        "at least one cell or block")
      let channels = options.features.channelCount
      let weights = try file.floats("component\(index).weights", shape: [places.rows, places.columns, channels])
      let bias = try file.floats("component\(index).bias", shape: [1])[0]
      let greatest = weights.reduce(0.0) { $0 + Double(abs($1)) }
      try require(
        greatest <= HOGDetector.greatestScore, "component\(index).weights", "sizes that add up to \(greatest)",
        "at most \(HOGDetector.greatestScore), so that scores stay finite")
      try require(
        Double(abs(bias)) <= HOGDetector.greatestScore, "component\(index).bias", bias,
        "at most \(HOGDetector.greatestScore) in size, so that scores stay finite")
      components.append(
        HOGComponent(
          label: stored.label, name: stored.name, windowSize: window, objectRegion: region, rows: places.rows,
          columns: places.columns, channelCount: channels,
          weights: weights, bias: bias, calibration: stored.calibration,
          mirrorOf: stored.mirrorOf))
    }
    self.init(
      features: options.features, colour: options.colour, components: components, scanOptions: options.scan)
  }

  /// The options that a model file's detector was trained by, where it keeps them.
  public static func trainingOptions(of file: ModelFile) throws -> HOGTrainerOptions? {
    try file.expect(kind: modelKind, version: modelVersion)
    return try file.options(as: Options.self).training
  }
}
