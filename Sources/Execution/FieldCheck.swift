/// Checks of option values, each of which names its field.
public struct FieldCheck: Sendable {
  /// What the values come from, as errors give it.
  public let source: String
  /// What is said of a value that does not fit.
  public let problem: String

  public init(source: String, problem: String = "out of range") {
    self.source = source
    self.problem = problem
  }

  /// - Throws: `InputError` with the field, unless `holds`.
  public func require(
    _ holds: Bool, _ field: String, _ found: @autoclosure () -> Any, _ expected: @autoclosure () -> String
  ) throws {
    guard !holds else { return }
    throw InputError(source: source, field: field, problem: problem, found: "\(found())", expected: expected())
  }
}
