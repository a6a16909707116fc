import Detection
import Features
import Geometry

/// Training options for the usual tasks, as the shipped models are trained.
public enum HOGPreset: String, Codable, CaseIterable, Sendable {
  /// Upright persons, 64 x 128 windows (Dalal and Triggs 2005).
  case person
  /// Upright faces, frontal to half-turned, from 20 pixels.
  case face

  public var options: HOGTrainerOptions {
    switch self {
    case .person: HOGTrainerOptions()
    case .face:
      HOGPreset.faceOptions
    }
  }

  private static var faceOptions: HOGTrainerOptions {
    var options = HOGTrainerOptions(
      features: .felzenszwalb(FelzenszwalbHOG(cellSize: 4)), colour: .grey,
      windowSize: PixelSize(width: 40, height: 40), objectRegion: Box(x: 0, y: 0, width: 1, height: 1),
      boxMapping: .area, components: [.init(name: "frontal", label: "face")])
    options.scan = ScanOptions(
      scalesPerOctave: 8, upsampling: .byTwo, suppression: .greedy(overlap: 0.45, by: .smaller))
    options.largestEnlargement = 2
    return options
  }
}
