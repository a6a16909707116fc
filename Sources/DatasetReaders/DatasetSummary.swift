import Execution
import Foundation
import Geometry

/// The numbers of a data set. Coded as JSON as it is; measures with nothing to measure are absent.
public struct DatasetSummary: Hashable, Sendable, Codable {
  public struct LabelCount: Hashable, Sendable, Codable {
    public var label: String
    public var targets: Int
    public var ignored: Int
  }

  /// Annotations whose shorter side is in `[lower, upper)`; the last bin has no upper end.
  public struct SizeBin: Hashable, Sendable, Codable {
    public var lower: Int
    public var upper: Int?
    public var count: Int
  }

  public struct ProblemCount: Hashable, Sendable, Codable {
    public var kind: DatasetProblem.Kind
    public var severity: DatasetProblem.Severity
    public var count: Int
  }

  public var name: String
  public var images: Int
  /// Images without a target.
  public var imagesWithoutTargets: Int
  /// Photos: images of one group count once.
  public var groups: Int
  public var targets: Int
  public var ignored: Int
  public var withLandmarks: Int
  public var labels: [LabelCount]
  /// Targets by their shorter side in pixels, in steps of a factor of two.
  public var sizes: [SizeBin]
  /// Median of width over height of the targets.
  public var medianAspect: Double?
  public var problems: [ProblemCount]
  /// SHA-256 over names, groups and annotations: changes with any of them, not with where the files lie.
  public var annotationChecksum: String
  /// SHA-256 over the images' bytes too, where it was asked for.
  public var contentChecksum: String?

  static let sizeLimits = [0, 8, 16, 32, 64, 128, 256]

  public init(_ set: Dataset) throws {
    let all = set.images.flatMap(\.annotations)
    let targets = all.filter { !$0.isIgnored }
    name = set.name
    images = set.images.count
    imagesWithoutTargets = set.images.count { image in image.annotations.allSatisfy(\.isIgnored) }
    groups = Set(set.images.map(\.groupKey)).count
    self.targets = targets.count
    ignored = all.count - targets.count
    withLandmarks = all.count { !$0.landmarks.isEmpty }
    labels = Dictionary(grouping: all, by: \.label).sorted { bytewise($0.key, $1.key) }.map { label, items in
      let ignored = items.count(where: \.isIgnored)
      return LabelCount(label: label, targets: items.count - ignored, ignored: ignored)
    }
    let sides = targets.map { min($0.box.width, $0.box.height) }
    let limits = DatasetSummary.sizeLimits
    sizes = limits.indices.map { bin in
      let upper = bin + 1 < limits.count ? limits[bin + 1] : nil
      return SizeBin(
        lower: limits[bin], upper: upper,
        count: sides.count { $0 >= Double(limits[bin]) && $0 < upper.map(Double.init) ?? .infinity })
    }
    let aspects = targets.map { $0.box.width / $0.box.height }.sorted()
    if aspects.isEmpty {
      medianAspect = nil
    } else {
      medianAspect = (aspects[(aspects.count - 1) / 2] + aspects[aspects.count / 2]) / 2
    }
    problems = Dictionary(grouping: set.problems, by: \.kind).map { kind, items in
      ProblemCount(kind: kind, severity: items[0].severity, count: items.count)
    }.sorted { ($1.severity, $0.kind.rawValue) < ($0.severity, $1.kind.rawValue) }
    annotationChecksum = try set.annotationChecksum()
  }
}

extension Dataset {
  /// SHA-256, in hexadecimal, over the images' names, groups and annotations in order; paths are not part of it.
  ///
  /// Equal for equal data wherever it lies; goes into models and reports.
  /// - Throws: an encoding error where a number is not finite.
  public func annotationChecksum() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var hash = SHA256()
    for var image in images {
      image.path = ""
      hash.update(try encoder.encode(image))
      hash.update(CollectionOfOne(UInt8(ascii: "\n")))
    }
    return hash.hexDigest()
  }

  /// SHA-256, in hexadecimal, over the annotation checksum and the bytes of every image file in order.
  ///
  /// Files are read one at a time on each thread. A `.vec` file counts once.
  /// - Throws: `InputError` where a file cannot be read; `CancelledError`.
  public func contentChecksum(
    executor: ParallelExecutor = ParallelExecutor(), progress: any ProgressSink = SilentProgress(),
    cancellation: Cancellation = Cancellation()
  ) throws -> String {
    var paths: [String] = []
    var lastVec: VecFile?
    for source in sources {
      switch source {
      case .file(let path): paths.append(path)
      case .vecSample(let file, _):
        if file !== lastVec { paths.append(file.path) }
        lastVec = file
      }
    }
    let files = paths
    progress.receive(.began(phase: "checksum of \(name)", total: files.count))
    let counter = ProgressCounter(progress)
    let digests = try executor.map(files.count) { index in
      try cancellation.check()
      let digest = SHA256.hexDigest(of: try FileBytes.read(files[index], limit: 1 << 32))
      counter.advance()
      return digest
    }
    progress.receive(.ended)
    return SHA256.hexDigest(of: ([try annotationChecksum()] + digests).joined(separator: "\n").utf8)
  }
}

extension DatasetSummary: CustomStringConvertible {
  /// A few lines of text; `-` where there is nothing to measure.
  public var description: String {
    var lines = [
      name,
      "  images       \(images) (\(imagesWithoutTargets) without targets), \(counted(groups, "photo"))",
      "  annotations  \(counted(targets, "target")), \(ignored) ignored, \(withLandmarks) with landmarks",
    ]
    for item in labels { lines.append("  label        \(item.label): \(item.targets) (\(item.ignored) ignored)") }
    if targets > 0 {
      lines.append("  shorter side of targets, pixels")
      let most = sizes.map(\.count).max() ?? 0
      for bin in sizes {
        let range = bin.upper.map { "\(bin.lower)-\($0 - 1)" } ?? "\(bin.lower)-"
        let bar = String(repeating: "#", count: most == 0 ? 0 : (bin.count * 40 + most - 1) / most)
        lines.append("    \(padded(range, 9))" + (bar.isEmpty ? "0" : padded(String(bin.count), 8) + bar))
      }
    }
    lines.append(
      "  aspect       \(medianAspect.map { String(format: "%.3f", $0) } ?? "-") (median of width over height)")
    if problems.isEmpty { lines.append("  problems     none seen in the annotations") }
    for item in problems {
      lines.append("  problems     \(item.count) x \(item.kind.rawValue) (\(item.severity.rawValue))")
    }
    lines.append("  annotations' SHA-256  \(annotationChecksum)")
    if let contentChecksum { lines.append("  contents' SHA-256     \(contentChecksum)") }
    return lines.joined(separator: "\n")
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
