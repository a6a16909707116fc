import Foundation

/// What an experiment measured: the content of `result.json`, and what `expected.json` is compared with.
public struct ExperimentResult: Hashable, Codable, Sendable {
  /// One named figure, for example "cmu-mit.averagePrecision".
  public struct Figure: Hashable, Codable, Sendable {
    public var name: String
    /// `nil` where there was nothing to measure.
    public var value: Double?
    /// How far another run may be from it: the same program on another machine may round otherwise.
    public var tolerance: Double
    /// Whether more is better.
    public var isBetterWhenLarger: Bool
    /// Where it stands in a table with others of its kind; `nil`: on a line of its own.
    public var cell: Cell?

    /// A place in a table.
    public struct Cell: Hashable, Codable, Sendable {
      public var table: String
      public var row: String
      public var column: String
      /// Whether a share is shown in percent.
      public var isPercent: Bool

      public init(table: String, row: String, column: String, isPercent: Bool) {
        self.table = table
        self.row = row
        self.column = column
        self.isPercent = isPercent
      }
    }

    public init(name: String, value: Double?, tolerance: Double, isBetterWhenLarger: Bool, cell: Cell? = nil) {
      self.cell = cell
      self.name = name
      self.value = value
      self.tolerance = tolerance
      self.isBetterWhenLarger = isBetterWhenLarger
    }
  }

  public var title: String
  /// The command that gives these figures.
  public var command: String
  public var figures: [Figure]
  /// SHA-256 of the model file.
  public var modelChecksum: String?
  public var modelBytes: Int?
  /// Wall-clock seconds of the training, where there was one.
  public var trainingSeconds: Double?
  public var commit: String?
  public var date: String?
  public var machine: String?

  public init(title: String, command: String) {
    self.title = title
    self.command = command
    figures = []
  }

  /// The figures that differ from the expected ones by more than their tolerance, told one a line; empty when all agree.
  ///
  /// A figure that is expected and not there, or undefined on one side only, differs.
  public func differences(from expected: ExperimentResult) -> [String] {
    expected.figures.compactMap { wanted in
      guard let found = figures.first(where: { $0.name == wanted.name }) else {
        return "\(wanted.name): expected \(ExperimentResult.text(wanted.value)), not measured"
      }
      switch (found.value, wanted.value) {
      case (nil, nil): return nil
      case (let found?, let value?) where abs(found - value) <= wanted.tolerance: return nil
      default:
        return "\(wanted.name): found \(ExperimentResult.text(found.value)), expected "
          + "\(ExperimentResult.text(wanted.value)) within \(wanted.tolerance)"
      }
    }
  }

  /// Four decimals; `-` for what is undefined.
  static func text(_ value: Double?) -> String {
    value.map { String(format: "%.4f", $0) } ?? "-"
  }
}
