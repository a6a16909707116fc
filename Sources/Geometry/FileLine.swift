/// A line of a text file that names something, for messages: `background.txt:12`.
public struct FileLine: Hashable, Sendable, CustomStringConvertible {
  public var file: String
  /// 1-based.
  public var line: Int

  public init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  public var description: String { "\(file):\(line)" }
}
