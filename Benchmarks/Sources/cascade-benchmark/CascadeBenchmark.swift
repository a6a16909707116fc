import Detection
import Execution
import Foundation
import Geometry
import Imaging
import Interchange

/// The Swift side of `peers/compare_opencv_cascades.py` and `peers/compare_cascade_speed.py`.
///
/// - `boxes XML PARAMETERS IMAGE...`: what `detectMultiScale` finds, a JSON line for each image and set of parameters.
///   PARAMETERS are sets parted by `;`, each `scaleFactor,minNeighbors,minWidth,minHeight,maxWidth,maxHeight`.
/// - `time XML PARAMETERS REPEATS IMAGE...`: milliseconds of one thread on the processor, a JSON line an image.
@main struct CascadeBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "boxes" where arguments.count >= 4:
      let detector = try OpenCVCascade.read(arguments[1])
      for path in arguments[3...] {
        let image = try ImageFile.read(path).image
        for text in arguments[2].split(separator: ";") {
          let found = Parameters(text).detect(detector, image, .serial)
          try print([
            "image": path, "parameters": String(text),
            "boxes": found.map { [$0.box.x, $0.box.y, $0.box.width, $0.box.height, $0.score] },
            "last_threshold": Double(detector.stages.last?.threshold ?? 0),
          ])
        }
      }
    case "time" where arguments.count >= 5:
      let detector = try OpenCVCascade.read(arguments[1])
      let parameters = Parameters(Substring(arguments[2]))
      for path in arguments[4...] {
        let image = try ImageFile.read(path).image
        var times: [Double] = []
        var found = 0
        for _ in 0..<(Int(arguments[3]) ?? 5) {
          let start = processorNanoseconds()
          found = parameters.detect(detector, image, .serial).count
          times.append(Double(processorNanoseconds() - start) * 1e-6)
        }
        times.sort()
        try print([
          "image": path, "median_ms": times[times.count / 2], "least_ms": times[0], "detections": found,
        ])
      }
    default:
      FileHandle.standardError.write(Data("wrong arguments: see the source of cascade-benchmark\n".utf8))
      exit(2)
    }
  }

  private struct Parameters {
    var values: [Double]

    init(_ text: Substring) {
      values = text.split(separator: ",").compactMap { Double($0) }
      if values.count != 6 { exit(2) }
    }

    func detect(_ detector: CascadeDetector, _ image: ByteImage, _ executor: ParallelExecutor) -> [Detection] {
      detector.detectMultiScale(
        in: image, scaleFactor: values[0], neighbours: Int(values[1]),
        smallest: PixelSize(width: Int(values[2]), height: Int(values[3])),
        largest: PixelSize(width: Int(values[4]), height: Int(values[5])), executor: executor)
    }
  }

  private static func print(_ line: [String: Any]) throws {
    let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    Swift.print(String(decoding: data, as: UTF8.self))
  }

  /// This thread's time on the processor: other work on the machine does not count.
  private static func processorNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
