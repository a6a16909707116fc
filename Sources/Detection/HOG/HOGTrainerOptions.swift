import Execution
import Features
import Geometry
import Learning

/// How a HOG detector is trained.
public struct HOGTrainerOptions: Hashable, Sendable, Codable {
  /// Which objects a component learns, and what its window is.
  public struct Component: Hashable, Sendable, Codable {
    /// Names it among the components, for example "frontal"; each name once.
    public var name: String
    /// What its detections are called.
    public var label: String
    /// Labels of the annotations that it may learn from; `nil` takes every label.
    public var sourceLabels: [String]?
    /// For each attribute named here, the annotation must have one of these values.
    public var attributes: [String: [String]]
    /// Least and greatest width over height of the annotated box.
    public var minimumAspect: Double?
    public var maximumAspect: Double?
    /// The name of the component whose mirror image this is. Nothing is trained for it: its objects, mirrored, are
    /// positives of the other, and its filter is the other's mirror image.
    public var mirrorOf: String?
    /// Degrees, clockwise as seen, by which upright objects are turned before they are cut: what the component learns to find
    /// is tilted by this. `nil` is none; a mirror image has that of its original, the other way.
    public var tilt: Double?
    /// A window of its own; `nil` takes the options' (or that of the component it mirrors).
    public var windowSize: PixelSize?
    public var objectRegion: Box?

    public init(
      name: String, label: String, sourceLabels: [String]? = nil, attributes: [String: [String]] = [:],
      minimumAspect: Double? = nil, maximumAspect: Double? = nil, mirrorOf: String? = nil,
      tilt: Double? = nil, windowSize: PixelSize? = nil, objectRegion: Box? = nil
    ) {
      self.name = name
      self.label = label
      self.sourceLabels = sourceLabels
      self.attributes = attributes
      self.minimumAspect = minimumAspect
      self.maximumAspect = maximumAspect
      self.mirrorOf = mirrorOf
      self.tilt = tilt
      self.windowSize = windowSize
      self.objectRegion = objectRegion
    }
  }

  /// How a box of another shape than the window's object becomes one of that shape. Its centre is kept.
  public enum BoxMapping: String, NamedChoice, Hashable, Sendable {
    /// The height is kept: for persons, whose width changes with their gait.
    case height
    /// The width is kept.
    case width
    /// The area is kept.
    case area
  }

  public var features: HOGFeatures
  public var colour: HOGDetector.Colour
  /// The detection window in pixels: what `features` covers with whole cells or blocks.
  public var windowSize: PixelSize
  /// Where the object lies in the window, as fractions of it; what is around it is context.
  public var objectRegion: Box
  public var boxMapping: BoxMapping
  public var components: [Component]

  /// Whether every positive is also shown mirrored to its own component.
  public var mirrorsPositives: Bool
  /// Shifted and scaled copies of each positive, besides itself.
  public var jitterCopies: Int
  /// Greatest shift on each axis as a share of the object's size on that axis.
  public var jitterShift: Double
  /// Greatest change of size: 0.05 is from 1/1.05 to 1.05.
  public var jitterScale: Double
  /// Greatest rotation of a copy in degrees, either way; `nil` is none.
  public var jitterRotation: Double?
  /// How copies are made to look like worse photos; `nil` leaves them.
  public var degradation: Degradation?
  /// Landmarks by which tilted objects are cut upright; `nil` cuts them as they stand.
  public var levelling: Levelling?
  /// Objects that would have to be enlarged by more than this are left out (and named).
  public var largestEnlargement: Double

  public var svm: LinearSVMOptions
  /// The cost of all positives together as a share of that of all negatives, in place of `svm.positiveWeight`: each
  /// training weighs a positive so that this holds for the samples at hand. `nil` leaves the weight alone.
  public var positiveWeightRatio: Double?
  /// Random negative windows a component before the first round.
  public var randomNegatives: Int
  /// Rounds of mining after the first training.
  public var rounds: Int
  /// Photos that a round searches, each round others, spread over all; `nil` searches all in every round.
  public var photosPerRound: Int?
  /// How far photos are enlarged while they are mined; `nil` as in `scan`. Most of a scan's time goes into the enlarged
  /// levels.
  public var miningUpsampling: ScanOptions.Upsampling?
  /// Most new negatives a component and round.
  public var negativesPerRound: Int
  /// Most new negatives from one photo, a component and round.
  public var negativesPerPhoto: Int
  /// The most memory that samples may take, in megabytes (10^6 bytes), over all components: a ceiling, not taken before
  /// there are samples to fill it.
  public var sampleMemory: Int
  /// A window of an annotated photo that overlaps an object by this (intersection over union) or more is no negative;
  /// nor is one of which an ignored region covers this share.
  public var negativeOverlapLimit: Double
  /// Whether annotated photos are mined too, away from their objects; those without objects are background photos' job.
  public var minesAnnotatedPhotos: Bool
  /// Windows that score more than this are hard. -1 is the margin: what lies below does not change a hinge-loss SVM.
  public var miningThreshold: Double
  /// Of the hard windows of one photo, one that overlaps a harder one by more than this (intersection over union) is
  /// left out; 1 keeps all.
  public var miningOverlap: Double
  /// How photos are scanned for negatives, and the trained detector's own scan options. While mining, the threshold is
  /// `miningThreshold`, and there is neither suppression nor a limit of detections.
  public var scan: ScanOptions
  public var seed: UInt64

  /// The defaults are those of Dalal and Triggs (2005) for upright persons.
  public init(
    features: HOGFeatures = .dalalTriggs(DalalTriggsHOG()), colour: HOGDetector.Colour = .rgb,
    windowSize: PixelSize = PixelSize(width: 64, height: 128),
    objectRegion: Box = Box(x: 0.25, y: 0.125, width: 0.5, height: 0.75), boxMapping: BoxMapping = .height,
    components: [Component] = [Component(name: "upright", label: "person")]
  ) {
    self.features = features
    self.colour = colour
    self.windowSize = windowSize
    self.objectRegion = objectRegion
    self.boxMapping = boxMapping
    self.components = components
    mirrorsPositives = true
    jitterCopies = 0
    jitterShift = 0.03
    jitterScale = 0.05
    largestEnlargement = 1.25
    svm = LinearSVMOptions()
    randomNegatives = 12_000
    rounds = 2
    negativesPerRound = 10_000
    negativesPerPhoto = 50
    sampleMemory = 1_500
    negativeOverlapLimit = 0.3
    minesAnnotatedPhotos = true
    miningThreshold = -1
    miningOverlap = 0.8
    scan = ScanOptions()
    seed = 1
  }

  /// The most negatives of each kind that may be asked for.
  static let greatestCount = 10_000_000

  /// Checks ranges and how the components fit together.
  /// - Throws: `InputError` that names the field.
  public func validate(source: String = "training options") throws {
    func require(_ holds: Bool, _ field: String, _ found: Any, _ expected: String, hint: String? = nil) throws {
      if !holds {
        throw InputError(
          source: source, field: field, problem: "cannot be used", found: "\(found)", expected: expected, hint: hint)
      }
    }
    try features.validate(source: source)
    try require(
      colour == .rgb || !features.needsColour, "colour", colour.rawValue, "\"rgb\", for features of colour differences")
    try require(!components.isEmpty, "components", "none", "one or more")
    let names = components.map(\.name)
    for (index, component) in components.enumerated() {
      let field = "components[\(index)]"
      try require(
        names.firstIndex(of: component.name) == index, "\(field).name", "\"\(component.name)\" twice",
        "each name once")
      try require(!component.label.isEmpty, "\(field).label", "nothing", "a label")
      if let other = component.mirrorOf {
        let target = components.first { $0.name == other }
        try require(
          target != nil && target?.mirrorOf == nil && other != component.name, "\(field).mirrorOf", "\"\(other)\"",
          "the name of another component that is trained itself")
        try require(
          features.mirroredChannelOrder != nil, "\(field).mirrorOf", "features that have no mirror image",
          "unsigned orientations or an even number of bins")
        try require(
          component.windowSize == nil && component.objectRegion == nil, field, "a window of a mirror image's own",
          "none: it is that of \(other)")
      }
      if let tilt = component.tilt {
        try require((-180...180).contains(tilt), "\(field).tilt", tilt, "-180 to 180 degrees")
        try require(component.mirrorOf == nil, "\(field).tilt", tilt, "none: it is that of its original, mirrored")
      }
      for (name, value) in [("minimumAspect", component.minimumAspect), ("maximumAspect", component.maximumAspect)] {
        if let value { try require(value > 0 && value.isFinite, "\(field).\(name)", value, "more than 0") }
      }
    }
    for layout in layouts() {
      let size = layout.windowSize
      try require(
        size.width >= 1 && size.height >= 1 && size.width <= 4096 && size.height <= 4096, "windowSize",
        "\(size.width) x \(size.height)", "1 to 4096 pixels a side")
      let places = features.windowMapSize(size)
      try require(
        places.rows >= 1 && places.columns >= 1, "windowSize", "\(size.width) x \(size.height)",
        "at least one cell or block")
      let whole = features.windowSize(places)
      try require(
        whole == size, "windowSize", "\(size.width) x \(size.height)",
        "whole cells or blocks, for example \(whole.width) x \(whole.height)")
      let region = layout.objectRegion
      try require(
        region.isFinite && !region.isEmpty && region.width <= 4 && region.height <= 4 && region.x >= -4
          && region.y >= -4 && region.x <= 1 && region.y <= 1, "objectRegion",
        "[\(region.x), \(region.y), \(region.width), \(region.height)]", "a box in fractions of the window")
    }
    try require((0...1000).contains(jitterCopies), "jitterCopies", jitterCopies, "0 to 1000")
    try require((0...1).contains(jitterShift), "jitterShift", jitterShift, "0 to 1")
    try require((0...1).contains(jitterScale), "jitterScale", jitterScale, "0 to 1")
    if let jitterRotation {
      try require((0...180).contains(jitterRotation), "jitterRotation", jitterRotation, "0 to 180 degrees")
    }
    try degradation?.validate(source: source)
    try levelling?.validate(source: source)
    if let positiveWeightRatio {
      try require(
        (1e-6...1e6).contains(positiveWeightRatio), "positiveWeightRatio", positiveWeightRatio, "1e-6 to 1e6")
    }
    if let photosPerRound { try require(photosPerRound >= 1, "photosPerRound", photosPerRound, "1 or more") }
    try require(
      largestEnlargement >= 0.1 && largestEnlargement <= 16, "largestEnlargement", largestEnlargement, "0.1 to 16")
    do {
      try svm.validate()
    } catch {
      throw InputError(source: source, field: "svm", problem: "cannot be used", found: "\(error)")
    }
    let counts = 1...HOGTrainerOptions.greatestCount
    try require(counts.contains(randomNegatives), "randomNegatives", randomNegatives, "1 to \(counts.upperBound)")
    try require((0...100).contains(rounds), "rounds", rounds, "0 to 100")
    try require(counts.contains(negativesPerRound), "negativesPerRound", negativesPerRound, "1 to \(counts.upperBound)")
    try require(counts.contains(negativesPerPhoto), "negativesPerPhoto", negativesPerPhoto, "1 to \(counts.upperBound)")
    try require((1...1_000_000).contains(sampleMemory), "sampleMemory", sampleMemory, "1 to 1000000 megabytes")
    try require((0...1).contains(negativeOverlapLimit), "negativeOverlapLimit", negativeOverlapLimit, "0 to 1")
    try require(miningThreshold.isFinite, "miningThreshold", miningThreshold, "a finite number")
    try require((0...1).contains(miningOverlap), "miningOverlap", miningOverlap, "0 to 1")
    try scan.validate(source: source)
    try require(scan.levelRule == .exact, "scan.levelRule", scan.levelRule.rawValue, "exact")
  }
}

/// A component's options with everything that it takes from elsewhere filled in.
struct ComponentLayout: Sendable {
  let options: HOGTrainerOptions.Component
  let windowSize: PixelSize
  let objectRegion: Box
  /// Index of the component that is trained for it: its own, or that of which it is the mirror image.
  let trained: Int
  /// Radians, clockwise as seen, by which the trained component's objects are turned.
  let tilt: Double

  var isMirror: Bool { options.mirrorOf != nil }

  /// Whether the annotation is an object of this component.
  func takes(_ annotation: Annotation) -> Bool {
    guard isKnown(annotation.label) else { return false }
    for (name, values) in options.attributes {
      guard let value = annotation.attributes[name], values.contains(value) else { return false }
    }
    let aspect = annotation.box.width / annotation.box.height
    return aspect >= options.minimumAspect ?? 0 && aspect <= options.maximumAspect ?? .infinity
  }

  func isKnown(_ label: String) -> Bool { options.sourceLabels?.contains(label) ?? true }

  /// A component with these sizes and weights of zero, for planning scans.
  func component(features: HOGFeatures, weights: [Float]? = nil, bias: Float = 0) -> HOGComponent {
    let places = features.windowMapSize(windowSize)
    return HOGComponent(
      label: options.label, name: options.name, windowSize: windowSize, objectRegion: objectRegion, rows: places.rows,
      columns: places.columns, channelCount: features.channelCount,
      weights: weights ?? Array(repeating: 0, count: places.count * features.channelCount), bias: bias)
  }
}

extension HOGTrainerOptions {
  func layouts() -> [ComponentLayout] {
    components.enumerated().map { index, component in
      let source = component.mirrorOf.flatMap { name in components.firstIndex { $0.name == name } }
      let original = source.map { components[$0] }
      var region = (original ?? component).objectRegion ?? objectRegion
      if original != nil { region.x = 1 - region.maxX }
      return ComponentLayout(
        options: component, windowSize: (original ?? component).windowSize ?? windowSize,
        objectRegion: region, trained: source ?? index, tilt: ((original ?? component).tilt ?? 0) * .pi / 180)
    }
  }
}
