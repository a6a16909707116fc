/// Entries of data sets of which a training would have less than was named: files that are missing, lines that cannot be
/// read, packed samples that were cut off. All of them, not the first alone.
public struct DatasetLosses: Error, Sendable, CustomStringConvertible {
  public let problems: [DatasetProblem]
  /// How to go on without them, for the message.
  public let remedy: String

  public init(problems: [DatasetProblem], remedy: String) {
    self.problems = problems
    self.remedy = remedy
  }

  /// Lines beyond this many are counted, not shown.
  private static let shown = 50

  /// A line for each, with its file and line, and one that counts them.
  public var description: String {
    let count = problems.count
    var lines = ["\(counted(count, "fault")) of data sets; mend \(count == 1 ? "it" : "them"), or \(remedy):"]
    lines += problems.prefix(DatasetLosses.shown).map { "  \($0)" }
    if count > DatasetLosses.shown { lines.append("  and \(count - DatasetLosses.shown) more") }
    return lines.joined(separator: "\n")
  }
}

extension Dataset {
  /// Problems by which the set is smaller than its files say: what a file or a list names and cannot be read.
  ///
  /// Labels that are odd but can be read (boxes outside their image, boxes without area) are none. Nor is a file in a folder
  /// that nobody named.
  public var losses: [DatasetProblem] {
    problems.filter { problem in
      switch problem.kind {
      case .missingImage, .unreadableAnnotation, .malformedLine, .countMismatch, .unreadableFolder: true
      case .unsupportedImage: problem.line != nil
      default: false
      }
    }
  }
}
