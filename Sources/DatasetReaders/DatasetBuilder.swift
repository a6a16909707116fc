import Execution
import Foundation
import Geometry

/// What every reader fills: it checks names, files and boxes in one place, so that all formats treat faults alike.
struct DatasetBuilder {
  /// An annotation with the line it came from.
  struct Entry {
    var annotation: Annotation
    var line: Int?
  }

  private(set) var images: [AnnotatedImage] = []
  private(set) var sources: [ImageSource] = []
  private(set) var problems: [DatasetProblem] = []
  /// Only names that are on every one of these lists are taken.
  private var wanted: [ImageNameList]
  private var unwanted: [ImageNameList]
  private var indexByName: [String: Int] = [:]
  /// Names that were left out for want of their file, so that each is told once.
  private var missing: Set<String> = []

  init(wanted: [ImageNameList] = [], unwanted: [ImageNameList] = []) {
    self.wanted = wanted
    self.unwanted = unwanted
  }

  /// Whether the lists take this image. Readers ask before they report anything about an image.
  mutating func wants(_ name: String) -> Bool {
    for index in wanted.indices where !wanted[index].matches(name) { return false }
    for index in unwanted.indices where unwanted[index].matches(name) { return false }
    return true
  }

  mutating func report(
    _ kind: DatasetProblem.Kind, _ outcome: DatasetProblem.Outcome, file: String, line: Int? = nil,
    image: String? = nil, _ message: String
  ) {
    problems.append(
      DatasetProblem(file: file, line: line, image: image, kind: kind, outcome: outcome, message: message))
  }

  mutating func report(_ more: [DatasetProblem]) { problems += more }

  /// Gives every annotation that has landmarks those of `names` that it lacks, labelled absent.
  /// - Returns: how many annotations lacked some.
  mutating func labelAbsentLandmarks(_ names: [String]) -> Int {
    var count = 0
    for image in images.indices {
      for place in images[image].annotations.indices where !images[image].annotations[place].landmarks.isEmpty {
        let own = Set(images[image].annotations[place].landmarks.map(\.name))
        let absent = names.filter { !own.contains($0) }
        if absent.isEmpty { continue }
        images[image].annotations[place].landmarks += absent.map { Landmark(name: $0, point: nil) }
        count += 1
      }
    }
    return count
  }

  /// Adds an image in a file of its own; a second call with the same name joins the annotations to the first.
  ///
  /// - Parameters:
  ///   - path: where the annotation says that it is; the same name under another image suffix serves as well.
  ///   - file: the annotation file, with `line`, for messages.
  ///   - repeats: what a second entry of one image is: `.merged` joins the annotations, `.leftOut` drops the entry.
  mutating func add(
    name: String, path: String, entries: [Entry] = [], group: String? = nil, file: String, line: Int? = nil,
    repeats: DatasetProblem.Outcome = .merged
  ) {
    guard wants(name) else { return }
    if let index = indexByName[name] {
      report(.duplicateImage, repeats, file: file, line: line, image: name, "image \(quoted(name)) was named before")
      if repeats == .merged { append(entries, to: index, file: file) }
      return
    }
    guard !missing.contains(name) else { return }
    guard let found = ImageNames.find(path) else {
      missing.insert(name)
      report(.missingImage, .leftOut, file: file, line: line, image: name, "image \(quoted(path)) does not exist")
      return
    }
    if found != path {
      report(
        .otherSuffix, .kept, file: file, line: line, image: name,
        "image \(quoted(path)) is there as \(quoted(fileName(of: found)))")
    }
    if ImageNames.unreadable.contains(lowercasedSuffix(found)) {
      missing.insert(name)
      report(
        .unsupportedImage, .leftOut, file: file, line: line, image: name,
        (file == found ? "" : "image \(quoted(found)) ") + "is of a format that is not read (PNG, JPEG and PNM are)")
      return
    }
    insert(
      AnnotatedImage(
        name: name, path: found, annotations: [], group: group, origin: line.map { FileLine(file: file, line: $0) }),
      .file(path: found))
    append(entries, to: images.count - 1, file: file)
  }

  /// Adds an image that is not a file of its own. Its name must be new.
  mutating func add(_ image: AnnotatedImage, source: ImageSource) {
    precondition(indexByName[image.name] == nil)
    if wants(image.name) { insert(image, source) }
  }

  private mutating func insert(_ image: AnnotatedImage, _ source: ImageSource) {
    indexByName[image.name] = images.count
    images.append(image)
    sources.append(source)
  }

  private struct PlaceAndLabel: Hashable {
    var box: Box
    var label: String
  }

  private mutating func append(_ entries: [Entry], to index: Int, file: String) {
    guard !entries.isEmpty else { return }
    let name = images[index].name
    var seen = Set(images[index].annotations.map { PlaceAndLabel(box: $0.box, label: $0.label) })
    for entry in entries {
      let (annotation, line) = (entry.annotation, entry.line)
      let text = "\(annotation.label) box \(describe(annotation.box)) of \(quoted(name))"
      if !annotation.box.isFinite {
        report(.malformedLine, .leftOut, file: file, line: line, image: name, "\(text) is not finite")
      } else if !annotation.box.isWithinLimit {
        report(.malformedLine, .leftOut, file: file, line: line, image: name, "\(text) has a number beyond 10^9 pixels")
      } else if let point = annotation.landmarks.first(where: { !($0.point?.isWithinLimit ?? true) }) {
        report(
          .malformedLine, .leftOut, file: file, line: line, image: name,
          "\(text) has its point \(quoted(point.name)) beyond 10^9 pixels")
      } else if annotation.box.width < 0 || annotation.box.height < 0 {
        report(.negativeSize, .leftOut, file: file, line: line, image: name, "\(text) has a negative side")
      } else if annotation.box.isEmpty {
        report(.emptyBox, .leftOut, file: file, line: line, image: name, "\(text) has a side of zero")
      } else if !seen.insert(PlaceAndLabel(box: annotation.box, label: annotation.label)).inserted {
        report(.duplicateBox, .leftOut, file: file, line: line, image: name, "\(text) is there twice")
      } else {
        images[index].annotations.append(annotation)
      }
    }
  }

  /// To be called when all images are in: settles what the lists meant.
  mutating func finish() {
    let superfluous = wanted.reduce(into: Set<String>()) { $0.formUnion($1.superfluous()) }
    if !superfluous.isEmpty {
      let kept = images.indices.filter { !superfluous.contains(images[$0].name) }
      images = kept.map { images[$0] }
      sources = kept.map { sources[$0] }
      problems.removeAll { superfluous.contains($0.image ?? "") }
    }
    problems += unmatchedNames()
  }

  /// Names that the lists hold and the set does not.
  private func unmatchedNames() -> [DatasetProblem] {
    let missing = self.missing
    return (wanted + unwanted).flatMap { $0.unmatched() }.filter { !missing.contains($0.image ?? "") }
  }
}

/// `[x, y, width, height]` with whole numbers written plainly.
func describe(_ box: Box) -> String {
  let numbers: [Double] = [box.x, box.y, box.width, box.height]
  let texts = numbers.map { (value: Double) -> String in
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }
  return "[" + texts.joined(separator: ", ") + "]"
}
