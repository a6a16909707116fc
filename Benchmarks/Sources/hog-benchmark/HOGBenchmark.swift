import Detection
import Execution
import Experiments
import Features
import Foundation
import Geometry
import Imaging
import Interchange
import LinearAlgebra

/// The Swift side of `peers/compare_opencv_people.py` and `peers/compare_detection_speed.py`.
///
/// - `boxes VECTOR PADDING GROUP IMAGE...`: the boxes of an OpenCV vector, a JSON line an image; padding in cells.
/// - `scan VECTOR SHARED THRESHOLD IMAGE...`: the boxes of the exact rule with SHARED levels for each computed map.
/// - `people VECTOR IMAGE REPEATS`: milliseconds of a scan of 64 x 128 windows, stride 8, step 1.05, no padding, one
///   thread: by OpenCV's levels, by exact ones, and by exact ones of which 2 and 3 share a computed map.
/// - `faces IMAGE REPEATS LEAST`: milliseconds of a scan with five filters of 10 x 10 cells (seeded numbers: the time does
///   not depend on them) for faces of LEAST pixels and more, one thread.
/// - `model NAME IMAGE REPEATS LEAST`: milliseconds of a scan with a shipped model (or a model file) by its own options
///   for objects of LEAST pixels and more, one thread.
@main struct HOGBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "boxes" where arguments.count >= 5: try printBoxes(Array(arguments.dropFirst()))
    case "scan" where arguments.count >= 5: try printScan(Array(arguments.dropFirst()))
    case "people" where arguments.count == 4:
      let detector = try OpenCVHOGVector(path: arguments[1]).detector(label: "person")
      try time(detector, detector.scanOptions, image: arguments[2], repeats: Int(arguments[3]) ?? 20)
      var options = detector.scanOptions
      options.levelRule = .exact
      for sharedLevels in 1...3 {
        options.sharedLevels = sharedLevels
        try time(detector, options, image: arguments[2], repeats: Int(arguments[3]) ?? 20)
      }
    case "faces" where arguments.count == 4:
      let detector = fiveFaceFilters()
      for (scalesPerOctave, sharedLevels) in [(4, 1), (8, 1), (8, 2)] {
        var options = ScanOptions(
          threshold: 10, minimumHeight: Double(arguments[3]), scalesPerOctave: scalesPerOctave, padding: 1)
        options.upsampling = .none
        options.sharedLevels = sharedLevels
        try time(detector, options, image: arguments[1], repeats: Int(arguments[2]) ?? 20)
      }
    case "model" where arguments.count == 5:
      guard let detector = try ModelCatalog.detector(arguments[1]) as? any WindowScorer else {
        FileHandle.standardError.write(Data("\(arguments[1]): its windows cannot be counted\n".utf8))
        exit(1)
      }
      var options = detector.scanOptions
      options.minimumHeight = Double(arguments[4])
      try time(detector, options, image: arguments[2], repeats: Int(arguments[3]) ?? 20)
    default:
      FileHandle.standardError.write(Data("wrong arguments: see the source of hog-benchmark\n".utf8))
      exit(2)
    }
  }

  private static func printBoxes(_ arguments: [String]) throws {
    guard let padding = Int(arguments[1]), let group = Int(arguments[2]) else { exit(2) }
    let detector = try OpenCVHOGVector(path: arguments[0]).detector(label: "person")
    var options = detector.scanOptions
    options.padding = padding
    options.suppression = .groupRectangles(RectangleGrouping(threshold: group))
    try print(detector, options, images: arguments[3...])
  }

  private static func printScan(_ arguments: [String]) throws {
    guard let shared = Int(arguments[1]), let threshold = Double(arguments[2]) else { exit(2) }
    let detector = try OpenCVHOGVector(path: arguments[0]).detector(label: "person")
    var options = ScanOptions(threshold: threshold)
    options.scaleFactor = 1.05
    options.sharedLevels = shared
    try options.validate(source: "arguments")
    try print(detector, options, images: arguments[3...])
  }

  private static func print(_ detector: HOGDetector, _ options: ScanOptions, images: ArraySlice<String>) throws {
    let encoder = JSONEncoder()
    for path in images {
      let image = try ImageFile.read(path).image
      let found = ImageDetections(
        image: path, width: image.width, height: image.height, detections: detector.detect(in: image, options: options))
      Swift.print(String(decoding: try encoder.encode(found), as: UTF8.self))
    }
  }

  private static func fiveFaceFilters() -> HOGDetector {
    var random = RandomStream(seed: 1)
    let components = (0..<5).map { index in
      HOGComponent(
        label: "face", name: "\(index)", windowSize: PixelSize(width: 80, height: 80),
        objectRegion: Box(x: 0, y: 0, width: 1, height: 1), rows: 10, columns: 10, channelCount: 31,
        weights: (0..<3100).map { _ in Float(random.gaussian()) * 0.02 }, bias: -1)
    }
    return HOGDetector(features: .felzenszwalb(FelzenszwalbHOG()), colour: .grey, components: components)
  }

  /// This thread's time on the processor: other work on the machine does not count.
  private static func processorNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private static func time(
    _ detector: any WindowScorer, _ options: ScanOptions, image path: String, repeats: Int
  ) throws {
    let image = try ImageFile.read(path).image
    var times: [Double] = []
    var found = 0
    let windows = detector.windowScores(in: image, scoringAtLeast: .infinity, options: options, executor: .serial)
    for _ in 0..<repeats {
      let start = processorNanoseconds()
      found = detector.detect(in: image, options: options, executor: .serial).count
      times.append(Double(processorNanoseconds() - start) * 1e-6)
    }
    times.sort()
    let line: [String: Any] = [
      "median_ms": times[times.count / 2], "least_ms": times[0], "greatest_ms": times[times.count - 1],
      "windows": windows.scannedCount, "detections": found, "blas_core": BLAS.coreName,
      "level_rule": options.levelRule.rawValue, "scale_factor": options.scaleFactor,
      "shared_levels": options.sharedLevels,
    ]
    let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    Swift.print(String(decoding: data, as: UTF8.self))
  }
}
