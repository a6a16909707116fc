import Detection
import Execution
import Geometry
import Imaging
import TestSupport

/// Windows of a bright cross on a dark ground, each with noise of its own.
struct CrossSamples: PositiveSamples {
  var windowSize = PixelSize(width: 12, height: 12)
  var count = 200
  /// Standard deviation of the noise.
  var noise = 30.0

  func name(at index: Int) -> String { "cross \(index)" }

  func sample(at index: Int) -> ByteImage {
    var random = RandomStream(seed: 77, stream: UInt64(index))
    var image = ByteImage(width: windowSize.width, height: windowSize.height, channelCount: 1, filledWith: 0)
    for y in 0..<windowSize.height {
      for x in 0..<windowSize.width {
        let bar = abs(2 * x + 1 - windowSize.width) < 5 || abs(2 * y + 1 - windowSize.height) < 5
        let value = (bar ? 170 : 80) + random.gaussian() * noise
        image.pixels[y * windowSize.width + x] = UInt8(max(0, min(255, value)))
      }
    }
    return image
  }
}

/// Photos of noise in blocks of several sizes: negatives that are not told apart by one feature.
func blockyPhotos(_ sizes: [(Int, Int)], seed: UInt64 = 5) -> PlainPhotos {
  PlainPhotos(
    images: sizes.enumerated().map { index, size in
      var random = RandomStream(seed: seed, stream: UInt64(index))
      var image = noiseImage(width: size.0, height: size.1, channelCount: 1, seed: seed + UInt64(index))
      for _ in 0..<size.0 * size.1 / 40 {
        let (x, y) = (random.index(below: size.0), random.index(below: size.1))
        let (w, h) = (1 + random.index(below: 9), 1 + random.index(below: 9))
        let value = UInt8(random.index(below: 256))
        for row in y..<min(size.1, y + h) {
          for column in x..<min(size.0, x + w) { image.pixels[row * size.0 + column] = value }
        }
      }
      return image
    })
}

func cascadeData(
  _ positives: any PositiveSamples, _ photos: PlainPhotos, seed: UInt64 = 1, stride: Int = 1
) throws -> CascadeTrainingData {
  let opened = try OpenedPhotos(photos)
  var options = NegativeWindowOptions(windowSize: positives.windowSize)
  options.seed = seed
  options.stride = stride
  return CascadeTrainingData(
    positives: positives, negatives: try NegativeWindows(opened, options: options), checksum: opened.checksum)
}

func cascadeOptions(_ features: CascadeTrainerOptions.Features = .haarBasic) -> CascadeTrainerOptions {
  var options = CascadeTrainerOptions(
    label: "cross", windowSize: PixelSize(width: 12, height: 12), features: features)
  options.positiveCount = 120
  options.negativeCount = 150
  options.stageCount = 3
  options.falseAlarmGoal = 0
  options.memory = 64
  return options
}

/// Keeps what a training says.
final class ListeningProgress: ProgressSink, @unchecked Sendable {
  private(set) var notes: [String] = []
  private(set) var warnings: [String] = []

  func receive(_ event: ProgressEvent) {
    switch event {
    case .note(let text): notes.append(text)
    case .warning(let text): warnings.append(text)
    default: break
    }
  }
}
