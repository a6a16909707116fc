import Foundation
import Windhover

/// The Swift side of `peers/compare_landmark_speed.py`.
///
/// `landmark-benchmark MODEL FACES REPEATS`: MODEL is a name of the catalogue, a .safetensors or a dlib .dat; each line of
/// FACES is a picture's path and a box, `x y width height`, by tabs. Prints a JSON line a face: milliseconds of this thread on
/// the processor, the median of REPEATS fits, of the points alone and with the confidence; and the points.
@main struct LandmarkBenchmark {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3, let repeats = Int(arguments[2]), repeats > 0 else {
      fail("wrong arguments: see the source of landmark-benchmark", status: 2)
    }
    let model = try LandmarkRun.model(ModelCatalog.path(of: arguments[0]))
    for line in try String(contentsOfFile: arguments[1], encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      let numbers = parts.dropFirst().compactMap(Double.init)
      guard numbers.count == 4 else { fail("no picture and box: \(line)", status: 2) }
      let image = try ImageFile.read(parts[0]).image
      let box = Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
      guard let points = model.predictor.fit(image, box: box) else { fail("cannot be fitted: \(line)", status: 1) }
      let alone = median(repeats) {
        if model.predictor.fit(image, box: box) != points { fail("a second fit gave other points", status: 1) }
      }
      let both = median(repeats) {
        if model.fit(image, box: box)?.points != points { fail("a second fit gave other points", status: 1) }
      }
      let result: [String: Any] = [
        "points_ms": alone, "points_and_confidence_ms": both, "channels": image.channelCount,
        "has_confidence": model.confidence != nil, "points": points.map { [$0.x, $0.y] },
      ]
      print(String(decoding: try JSONSerialization.data(withJSONObject: result, options: [.sortedKeys]), as: UTF8.self))
    }
  }

  private static func fail(_ text: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(status)
  }

  private static func median(_ repeats: Int, _ body: () -> Void) -> Double {
    body()
    let times = (0..<repeats).map { _ -> Double in
      let start = threadSeconds()
      body()
      return threadSeconds() - start
    }
    return 1000 * times.sorted()[repeats / 2]
  }

  /// Seconds that this thread has spent on the processor: other work on the machine does not count.
  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }
}
