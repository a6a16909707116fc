import Detection
import Execution
import Features
import Geometry

/// Training options for the usual tasks, as the shipped models are trained.
public enum HOGPreset: String, NamedChoice, Sendable {
  /// Upright persons of 96 pixels in windows of 80 x 144, as the shipped model is trained.
  case person
  /// Upright persons as Dalal and Triggs (2005) have it: the defaults of every option.
  case person2005 = "person-2005"
  /// Upright faces, frontal to half-turned, from 20 pixels.
  case face

  public var options: HOGTrainerOptions {
    switch self {
    case .person: HOGPreset.personOptions
    case .person2005: HOGTrainerOptions()
    case .face: HOGPreset.faceOptions
    }
  }

  /// Chosen on held-out windows and photos of INRIA Person: `Experiments/persons/hog-lbp`.
  private static var personOptions: HOGTrainerOptions {
    // The person is 96 pixels high, with 24 pixels of surroundings; boxes are 0.41 times as wide as high, a person's usual
    // shape.
    var options = HOGTrainerOptions(
      features: .felzenszwalbWithPatterns(PatternedHOG(cellSize: 8, patternNorm: 1)),
      windowSize: PixelSize(width: 80, height: 144),
      objectRegion: Box(x: 0.254, y: 0.166666666667, width: 0.492, height: 0.666666666667))
    options.mirrorsPositives = false
    options.svm.positiveWeight = 5
    options.svm.cost = 0.005
    options.svm.relativeGap = 0.01
    options.sampleMemory = 3000
    // One false alarm in ten photos without persons. A box within a larger one is the same person's.
    options.scan = ScanOptions(threshold: -0.12, padding: 2, suppression: .greedy(overlap: 0.5, by: .smaller))
    return options
  }

  private static var faceOptions: HOGTrainerOptions {
    var options = HOGTrainerOptions(
      features: .felzenszwalb(FelzenszwalbHOG(cellSize: 4)), colour: .grey,
      windowSize: PixelSize(width: 40, height: 40), objectRegion: Box(x: 0, y: 0, width: 1, height: 1),
      boxMapping: .area, components: [.init(name: "frontal", label: "face")])
    options.jitterShift = 0.03
    options.jitterScale = 0.08
    options.jitterRotation = 10
    options.degradation = HOGTrainerOptions.Degradation(
      lowResolutionShare: 0.6, leastResolution: 0.5, leastContrast: 0.5, greatestNoise: 8)
    // The eyes of the 68 landmarks of 300-W.
    options.levelling = HOGTrainerOptions.Levelling(
      left: (36..<42).map(String.init), right: (42..<48).map(String.init))
    options.largestEnlargement = 2
    options.svm.loss = .squaredHinge
    options.svm.cost = 0.008
    options.svm.relativeGap = 0.01
    // At an equal share of the cost the filter grows to fit odd positives, and alarms at high scores multiply.
    options.positiveWeightRatio = 0.3
    options.rounds = 4
    options.photosPerRound = 400
    options.negativesPerRound = 12_000
    options.negativesPerPhoto = 40
    options.negativeOverlapLimit = 0.25
    options.miningOverlap = 0.6
    // About one false alarm in five photos.
    options.scan = ScanOptions(
      threshold: -0.15, scalesPerOctave: 8, upsampling: .byTwo, suppression: .greedy(overlap: 0.45, by: .smaller))
    return options
  }
}
