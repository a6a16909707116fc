/// Where a model comes from: enough to make it again, and to know what it may not be tested on.
///
/// All of it is passed in, date and machine too, so that a run can be repeated to the same bytes.
public struct Provenance: Hashable, Codable, Sendable {
  /// One set of images that was trained on.
  public struct DataSet: Hashable, Codable, Sendable {
    /// As it is named on the command line, for example "wider/train".
    public var name: String
    /// What was taken from it, without local paths.
    public var description: String
    public var imageCount: Int
    /// SHA-256 over what was read, in hexadecimal; `nil` if it was not computed.
    public var checksum: String?

    public init(name: String, description: String, imageCount: Int, checksum: String?) {
      self.name = name
      self.description = description
      self.imageCount = imageCount
      self.checksum = checksum
    }
  }

  /// The command line, without local paths.
  public var command: String
  public var dataSets: [DataSet]
  public var seed: UInt64
  /// The commit of Windhover that trained it.
  public var commit: String?
  /// ISO 8601, for example "2005-06-20T12:00:00Z".
  public var date: String?
  /// Processor and system in a few words.
  public var machine: String?

  public init(
    command: String, dataSets: [DataSet], seed: UInt64, commit: String? = nil, date: String? = nil,
    machine: String? = nil
  ) {
    self.command = command
    self.dataSets = dataSets
    self.seed = seed
    self.commit = commit
    self.date = date
    self.machine = machine
  }
}
