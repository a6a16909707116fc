/// What `Datasets/<name>/manifest.json` says of a public data set. `Datasets/README.md` describes the fields.
public struct DatasetManifest: Hashable, Sendable, Codable {
  /// The name in `NAME/SPLIT`, and the folder's name under `DATASETS_DIR`.
  public var name: String
  public var title: String
  /// What is in it and what it is for.
  public var description: String
  public var source: Source
  public var licence: Licence
  public var citation: String
  /// How the published files lie, a path or pattern a line.
  public var layout: [String]
  /// What a box encloses and how its numbers are counted.
  public var boxRule: String
  public var labels: [String]
  public var splits: [String: Split]
  /// Known faults and traps.
  public var faults: [String]
  /// What the copy that the figures were measured on lacks or differs in.
  public var copyAtHand: String?
  /// How `windhover-data fetch` gets it; `nil` where it cannot.
  public var fetch: DatasetFetchRecipe?

  public struct Source: Hashable, Sendable, Codable {
    public var publisher: String
    public var url: String?
  }

  public struct Licence: Hashable, Sendable, Codable {
    /// As published, in short; "unknown" where nothing is stated.
    public var summary: String
    public var url: String?
  }

  /// One split: files in a known format with settings.
  public struct Split: Hashable, Sendable, Codable {
    public var description: String
    public var format: DatasetFormat
    /// Relative to the data set's folder; "." is that folder.
    public var path: String
    /// As behind `?` in a reference; paths are relative to the data set's folder.
    public var options: [String: String]?
    /// Names of images to leave out, with or without suffix.
    public var exclude: [String]?
    public var use: Use
  }

  /// What a split may be used for.
  public enum Use: String, Hashable, Sendable, Codable {
    case training
    /// Choosing options and thresholds.
    case validation
    /// Measuring, once: never training or choosing.
    case test
  }
}

/// Where to get a data set's files, and how to know that they are the right ones.
public struct DatasetFetchRecipe: Hashable, Sendable, Codable {
  /// The Debian source package whose `.orig.tar` holds the files.
  public var debianSource: String
  /// Where the same files are when Debian's cannot be had: `{path}` stands for a file's path in the archive.
  public var upstream: [String]
  public var files: [File]
  /// Size of the download, for a message.
  public var downloadBytes: Int?

  public struct File: Hashable, Sendable, Codable {
    /// Path within the archive, without its first folder.
    public var member: String
    /// Path in the data set's folder.
    public var path: String
    /// SHA-256, 64 hexadecimal digits.
    public var sha256: String
    public var bytes: Int
  }
}
