import Geometry
import Imaging

#if canImport(Glibc)
  import Glibc
#endif

/// The windows of one level of a photo that may be negatives, in rows from the top, each from the left.
///
/// A window keeps clear of an object where it lies left of, right of, above or below it: in each row of windows an object
/// bars one run of places, whose ends follow from the overlap rule. The runs are computed row by row when they are asked
/// for; none is kept.
struct LevelWindows: Sendable {
  /// What windows keep clear of, in level pixels.
  private struct Obstacle {
    var box: Box
    /// Whether overlap is measured against the window alone, as of ignored boxes, or against the union.
    var isIgnored: Bool
  }

  let level: PyramidScales.Level
  /// Places on each axis, `stride` pixels apart.
  let columns: Int
  let rows: Int
  private let stride: Int
  private let window: PixelSize
  private let overlapLimit: Double
  private let obstacles: [Obstacle]

  init(
    _ level: PyramidScales.Level, options: NegativeWindowOptions, annotations: [Annotation],
    region: (Box) -> Box
  ) {
    self.level = level
    window = options.windowSize
    stride = options.stride
    overlapLimit = options.overlapLimit
    columns = level.size.width < window.width ? 0 : (level.size.width - window.width) / stride + 1
    rows = level.size.height < window.height ? 0 : (level.size.height - window.height) / stride + 1
    var obstacles: [Obstacle] = []
    for annotation in annotations where annotation.box.isFinite && !annotation.box.isEmpty {
      if annotation.isIgnored || options.overlapLimit == 0 {
        obstacles.append(Obstacle(box: level.fromImage(annotation.box), isIgnored: annotation.isIgnored))
      }
      if !annotation.isIgnored {
        obstacles.append(Obstacle(box: level.fromImage(region(annotation.box)), isIgnored: false))
      }
    }
    self.obstacles = obstacles
  }

  /// How many windows there are.
  /// - Complexity: O(1) without objects, otherwise O(rows * objects).
  var count: Int {
    if obstacles.isEmpty { return columns * rows }
    return (0..<rows).reduce(0) { total, row in total + freeRuns(row).reduce(0) { $0 + $1.count } }
  }

  /// The places of the windows with some numbers, in level pixels.
  ///
  /// - Parameter numbers: rising, each in `0..<count`.
  func places(_ numbers: some Sequence<Int>, _ body: (_ x: Int, _ y: Int) -> Void) {
    if obstacles.isEmpty {
      for number in numbers { body(number % columns * stride, number / columns * stride) }
      return
    }
    var row = -1
    var runs: [Range<Int>] = []
    // Windows before the row in hand, and in it.
    var before = 0
    var held = 0
    for number in numbers {
      while number >= before + held {
        before += held
        row += 1
        runs = freeRuns(row)
        held = runs.reduce(0) { $0 + $1.count }
      }
      var rest = number - before
      for run in runs {
        if rest < run.count {
          body((run.lowerBound + rest) * stride, row * stride)
          break
        }
        rest -= run.count
      }
    }
  }

  /// The runs of columns of one row whose windows may be negatives, from the left.
  private func freeRuns(_ row: Int) -> [Range<Int>] {
    let top = Double(row * stride)
    var barred = obstacles.compactMap { barredColumns($0, top: top) }
    if barred.isEmpty { return [0..<columns] }
    barred.sort { $0.lowerBound < $1.lowerBound }
    var runs: [Range<Int>] = []
    var next = 0
    for run in barred {
      if run.lowerBound > next { runs.append(next..<run.lowerBound) }
      next = max(next, run.upperBound)
    }
    if next < columns { runs.append(next..<columns) }
    return runs
  }

  /// The columns whose windows hold too much of an obstacle, in a row of windows that begins at `top`.
  private func barredColumns(_ obstacle: Obstacle, top: Double) -> Range<Int>? {
    let box = obstacle.box
    let (width, height) = (Double(window.width), Double(window.height))
    let common = min(top + height, box.maxY) - max(top, box.y)
    guard common > 0 else { return nil }
    // The width that must be shared for the overlap to reach the limit: from w h / (A + B - w h) >= t, or w h / A >= t.
    let least: Double
    if overlapLimit == 0 {
      least = 0
    } else if obstacle.isIgnored {
      least = overlapLimit * width * height / common
    } else {
      least = overlapLimit * (width * height + box.width * box.height) / ((1 + overlapLimit) * common)
    }
    guard least <= min(width, box.width) else { return nil }
    // Shared width is at least `least` from this left edge to that one; more than zero between them at limit 0.
    let from = (box.x + least - width) / Double(stride)
    let to = (box.maxX - least) / Double(stride)
    let last = Double(columns)
    let first =
      overlapLimit == 0 ? max(0, min(last, floor(from) + 1)) : max(0, min(last, ceil(from)))
    let end = overlapLimit == 0 ? max(0, min(last, ceil(to))) : max(0, min(last, floor(to) + 1))
    return first < end ? Int(first)..<Int(end) : nil
  }
}
