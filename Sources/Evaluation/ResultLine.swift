import Execution
import Geometry

/// One line of a results file.
enum ResultLine {
  static func parse(_ scanner: inout JSONScanner) throws -> ImageDetections {
    var image: String?
    var detections: [Detection]?
    var (width, height): (Int?, Int?)
    try scanner.object("the line's object") { scanner, key in
      switch key {
      case "image":
        try once(image == nil, key, scanner)
        image = try scanner.string("\"image\"")
      case "width":
        try once(width == nil, key, scanner)
        width = try size(&scanner, key)
      case "height":
        try once(height == nil, key, scanner)
        height = try size(&scanner, key)
      case "detections":
        try once(detections == nil, key, scanner)
        var list: [Detection] = []
        try scanner.array("\"detections\"") { list.append(try detection(&$0)) }
        detections = list
      default:
        try scanner.skipValue()
      }
    }
    guard let image else { throw absent("image", in: "the line", scanner) }
    guard let detections else { throw absent("detections", in: "the line", scanner) }
    return ImageDetections(image: image, width: width ?? 0, height: height ?? 0, detections: detections)
  }

  private static func detection(_ scanner: inout JSONScanner) throws -> Detection {
    var (box, score, label, confidence): (Box?, Double?, String?, Double?)
    try scanner.object("a detection") { scanner, key in
      switch key {
      case "box":
        try once(box == nil, key, scanner)
        box = try parseBox(&scanner)
      case "score":
        try once(score == nil, key, scanner)
        score = try finite(&scanner, "\"score\"")
      case "label":
        try once(label == nil, key, scanner)
        label = try scanner.string("\"label\"")
      case "confidence":
        try once(confidence == nil, key, scanner)
        if scanner.takeNull() { return }
        let start = scanner
        let value = try finite(&scanner, "\"confidence\"")
        guard (0...1).contains(value) else {
          throw start.failure("a confidence lies outside its range", expected: "0 to 1")
        }
        confidence = value
      default:
        try scanner.skipValue()
      }
    }
    guard let box else { throw absent("box", in: "a detection", scanner) }
    guard let score else { throw absent("score", in: "a detection", scanner) }
    guard let label else { throw absent("label", in: "a detection", scanner) }
    return Detection(box: box, score: score, confidence: confidence, label: label)
  }

  private static func parseBox(_ scanner: inout JSONScanner) throws -> Box {
    scanner.skipBlanks()
    let start = scanner
    var numbers = (0.0, 0.0, 0.0, 0.0)
    var count = 0
    try scanner.array("\"box\"") { scanner in
      let value = try finite(&scanner, "\"box\"")
      switch count {
      case 0: numbers.0 = value
      case 1: numbers.1 = value
      case 2: numbers.2 = value
      case 3: numbers.3 = value
      default: break
      }
      count += 1
    }
    guard count == 4 else {
      throw start.failure("a box has \(count) numbers", expected: "four: x, y, width, height")
    }
    guard numbers.2 >= 0, numbers.3 >= 0 else {
      throw start.failure("a box has a negative size", expected: "x, y, width, height in pixels")
    }
    let box = Box(x: numbers.0, y: numbers.1, width: numbers.2, height: numbers.3)
    guard box.isWithinLimit else {
      throw start.failure("a box has a number that no picture has", expected: "at most 10^9 pixels")
    }
    return box
  }

  private static func finite(_ scanner: inout JSONScanner, _ what: String) throws -> Double {
    scanner.skipBlanks()
    let start = scanner
    let value = try scanner.number(what)
    guard value.isFinite else { throw start.failure("a number is not finite", expected: "a finite number for \(what)") }
    return value
  }

  private static func size(_ scanner: inout JSONScanner, _ key: String) throws -> Int {
    scanner.skipBlanks()
    let start = scanner
    let value = try scanner.number("\"\(key)\"")
    guard let whole = Int(exactly: value), whole >= 0 else {
      throw start.failure("not an image size", expected: "a whole number of pixels for \"\(key)\"")
    }
    return whole
  }

  private static func once(_ isFirst: Bool, _ key: String, _ scanner: JSONScanner) throws {
    guard isFirst else { throw scanner.failure("the key \"\(key)\" occurs twice", expected: "each key once") }
  }

  private static func absent(_ key: String, in what: String, _ scanner: JSONScanner) -> JSONScanner.Failure {
    JSONScanner.Failure(problem: "\(what) has no \"\(key)\"", offset: scanner.offset)
  }
}
