import Execution
import Foundation
import Geometry

/// Matches detections with the truth: greedy by falling score, one truth to one detection, image by image.
///
/// A detection claims the target of largest overlap (`MatchingOptions.assignment` says whether taken ones are looked at)
/// when that overlap reaches the threshold. One that claims none and lies on an ignored annotation of its label (or of an
/// empty label) counts neither way; any number may lie on one ignored annotation. All others are false alarms.
///
/// A target that covers no pixel of its image can be neither found nor missed, and becomes ignored; so the size that the
/// results give is asked. Results without sizes leave such targets as they are.
///
/// **Ties.** Detections of one image with equal scores are taken by falling best overlap, then by x, y, width and height;
/// curves have points at distinct scores only. So no figure depends on the order of lines or of detections.
///
/// **Differences from the papers.** PASCAL VOC and COCO leave the order of equal scores to their sorting; COCO keeps at
/// most 100 detections an image, here all count.
public struct Matcher: Sendable {
  /// What is done with a truth image that the results say nothing of.
  public enum MissingImages: String, NamedChoice, Sendable {
    /// It was not scanned: an error.
    case areErrors
    /// It counts as scanned, with nothing found.
    case countAsEmpty
  }

  /// What is done with an image of the results that the truth does not know.
  public enum UnknownImages: String, NamedChoice, Sendable {
    case areErrors
    /// Its detections are left out, and its name is kept in `Matching.imagesLeftOut`.
    case areLeftOut
  }

  public var options: MatchingOptions
  public var missingImages: MissingImages
  public var unknownImages: UnknownImages

  public init(
    options: MatchingOptions = MatchingOptions(), missingImages: MissingImages = .areErrors,
    unknownImages: UnknownImages = .areErrors
  ) {
    self.options = options
    self.missingImages = missingImages
    self.unknownImages = unknownImages
  }

  /// Joins results and truth by image name and matches them.
  ///
  /// - Parameters:
  ///   - source: What errors call the results, for example their file.
  /// - Throws: `InputError` where a name occurs twice, a score or box is not finite, the truth is empty, or an image is
  ///   missing on either side and that is an error.
  /// - Complexity: O(detections x annotations) an image, O(n log n) over all n detections.
  public func match(
    results: [ImageDetections], source: String = "results", truth: [AnnotatedImage],
    executor: ParallelExecutor = .init()
  ) throws -> Matching {
    let joined = try join(results, source, truth)
    let labels = options.comparesLabels ? Matcher.labels(joined.images, joined.results) : [""]
    let numbers = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, Int32($0)) })
    let chunk = 64
    let (options, images, aligned) = (options, joined.images, joined.results)
    let parts = try executor.map((images.count + chunk - 1) / chunk) { part -> ImageMatcher in
      var matcher = ImageMatcher(options: options, labels: numbers)
      for index in part * chunk..<min(images.count, (part + 1) * chunk) {
        try matcher.match(index: index, detections: aligned[index], truth: images[index], source: source)
      }
      return matcher
    }
    return Matching(
      options: options, images: images, results: aligned, labels: labels,
      detections: Matcher.ranked(parts.map(\.matched)), targets: parts.flatMap(\.targets),
      imagesCountedAsEmpty: joined.empty, imagesLeftOut: joined.leftOut,
      emptyTargetCount: parts.reduce(0) { $0 + $1.emptyTargets },
      outsideTargetCount: parts.reduce(0) { $0 + $1.outsideTargets },
      ignoredCount: parts.reduce(0) { $0 + $1.ignored })
  }

  private func join(
    _ results: [ImageDetections], _ source: String, _ truth: [AnnotatedImage]
  ) throws -> (images: [AnnotatedImage], results: [ImageDetections], empty: [String], leftOut: [String]) {
    guard !truth.isEmpty else {
      throw InputError(source: "truth", problem: "holds no image", hint: "check the data set's name and split")
    }
    let images = truth.sorted { $0.name < $1.name }
    for (a, b) in zip(images, images.dropFirst()) where a.name == b.name {
      throw InputError(
        source: "truth", field: "image", problem: "the name occurs twice", found: a.name,
        hint: "score data sets that share names one by one")
    }
    var places: [String: Int] = [:]
    places.reserveCapacity(results.count)
    for (index, image) in results.enumerated() {
      guard places.updateValue(index, forKey: image.image) == nil else {
        throw InputError(source: source, field: "image", problem: "the image occurs twice", found: image.image)
      }
    }
    var aligned: [ImageDetections] = []
    aligned.reserveCapacity(images.count)
    var missing: [String] = []
    for image in images {
      if let place = places.removeValue(forKey: image.name) {
        aligned.append(results[place])
      } else {
        missing.append(image.name)
        aligned.append(ImageDetections(image: image.name, width: 0, height: 0, detections: []))
      }
    }
    let leftOut = places.keys.sorted()
    if missingImages == .areErrors, let first = missing.first {
      throw InputError(
        source: source, problem: "\(missing.count) of \(images.count) images of the truth were not scanned",
        found: leftOut.first.map { "\"\($0)\", which the truth lacks" } ?? "\(results.count) lines",
        expected: "a line for \"\(first)\"",
        hint: "scan them, or count missing images as empty")
    }
    if unknownImages == .areErrors, let first = leftOut.first {
      throw InputError(
        source: source, problem: "\(leftOut.count) of \(results.count) images are not in the truth",
        found: "\"\(first)\"", hint: "name the data set that was scanned, or leave unknown images out")
    }
    return (images, aligned, missing, leftOut)
  }

  private static func labels(_ images: [AnnotatedImage], _ results: [ImageDetections]) -> [String] {
    var seen = Set<String>()
    for image in images { for annotation in image.annotations { seen.insert(annotation.label) } }
    for image in results { for detection in image.detections { seen.insert(detection.label) } }
    return seen.sorted()
  }

  /// All detections by falling score; equal scores stay in the order of `parts`, which is that of image and box.
  private static func ranked(_ parts: [[MatchedDetection]]) -> [MatchedDetection] {
    let flat = parts.flatMap { $0 }
    precondition(flat.count < Int(UInt32.max))
    var keys: [(key: UInt64, index: UInt32)] = []
    keys.reserveCapacity(flat.count)
    for (index, detection) in flat.enumerated() { keys.append((fallingKey(detection.score), UInt32(index))) }
    keys.sort { $0.key != $1.key ? $0.key < $1.key : $0.index < $1.index }
    return keys.map { flat[Int($0.index)] }
  }

  /// A whole number that falls as the score rises, so that scores are compared in one step. -0 counts as 0.
  @inline(__always) static func fallingKey(_ score: Double) -> UInt64 {
    let bits = (score + 0.0).bitPattern
    let rising = bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    return ~rising
  }
}
