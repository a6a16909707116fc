/// Something from outside (a file, an option, a size, a label) that cannot be used, said so that it can be mended.
///
/// Its text is one line: `FILE:LINE: what is wrong: found X, expected Y; hint`.
public struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file or option it came from, for example "faces/list.txt" or "--overlap".
  public var source: String
  /// 1-based line of a text file, where there is one.
  public var line: Int?
  /// The field, key or offset within the source, where that helps.
  public var field: String?
  /// What is wrong, as a short clause.
  public var problem: String
  public var found: String?
  public var expected: String?
  /// What to do about it.
  public var hint: String?

  public init(
    source: String, line: Int? = nil, field: String? = nil, problem: String, found: String? = nil,
    expected: String? = nil, hint: String? = nil
  ) {
    self.source = source
    self.line = line
    self.field = field
    self.problem = problem
    self.found = found
    self.expected = expected
    self.hint = hint
  }

  public var description: String {
    var text = source
    if let line { text += ":\(line)" }
    if let field { text += ": \(field)" }
    text += ": \(problem)"
    if let found { text += ": found \(found)" }
    if let expected { text += found == nil ? ": expected \(expected)" : ", expected \(expected)" }
    if let hint { text += "; \(hint)" }
    return text
  }
}
