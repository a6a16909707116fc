import Execution

/// The name of a data set as programs and configurations write it.
///
/// Two forms, each with optional settings at the end:
///
/// - `NAME/SPLIT`: a split of a manifest (`wider/train`), its files found under `DATASETS_DIR` or in the cache of
///   fetched sets.
/// - `FORMAT:PATH`: files in a known format (`imglab:faces/training.xml`); only the first colon separates, so a path may
///   hold colons and spaces. `DatasetFormat` lists the formats.
///
/// Settings follow a `?` as `key=value`, joined by `&`: `ibug:300w/train?scale=1.2&keep=1/5`. The text after the last `?`
/// is settings only if each piece looks like `letters=value`; otherwise it belongs to the path, and a path that really
/// ends in such text is written with one more `?` behind it. Paths in settings are relative to the working folder, as
/// every path on a command line.
///
/// Every format takes:
///
/// - `split=FILE`: only the images on that list, one name a line, with or without the suffix.
/// - `exclude=FILE`: all but the images on that list.
/// - `keep=K/N`: of N parts of the set only part K, from 1. An image's part follows from the name of its group alone (the
///   photo; an image without a group is its own), so it never depends on what else is in the set, and mirrors and crops of
///   one photo never part: the first four bytes of the name's SHA-256, as a big-endian number, modulo N, plus 1.
/// - `leave=K/N`: all but part K.
/// - `labels=a,b`: the labels to expect; annotations with another label become ignored and are reported.
///
/// The formats' own settings are described at their readers. A manifest's split takes those of its format too (`300w/train?box=eyes`);
/// they take the place of the split's own.
public struct DatasetReference: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    case manifest(name: String, split: String)
    case files(format: DatasetFormat, path: String)
  }

  public var source: Source
  public var options: [String: String]

  public init(source: Source, options: [String: String] = [:]) {
    self.source = source
    self.options = options
  }

  /// Reads a reference.
  /// - Throws: `InputError` that says which part is wrong and which words are known. Whether the files exist is not
  ///   looked at.
  public static func parse(_ text: String) throws -> DatasetReference {
    let (body, options) = splitSettings(text)
    guard !body.isEmpty else { throw failure(text, "is empty") }
    if let colon = body.firstIndex(of: ":") {
      let word = String(body[..<colon])
      if let format = DatasetFormat(rawValue: word) {
        let path = String(body[body.index(after: colon)...])
        guard !path.isEmpty else { throw failure(text, "names no path") }
        guard !path.utf8.contains(0) else { throw failure(text, "holds a zero byte") }
        try check(options, of: format, in: text)
        return DatasetReference(source: .files(format: format, path: path), options: options)
      }
      let formats = DatasetFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw InputError(
        source: text, problem: "no such data set format", found: "\"\(word)\"", expected: "one of \(formats)",
        hint: "a data set is named NAME/SPLIT or FORMAT:PATH")
    }
    let parts = body.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(isPlainWord) else {
      throw failure(text, "is not the name of a data set")
    }
    // Which of them the split's format takes is known when its manifest has been read.
    let known = DatasetFormat.allCases.reduce(DatasetFormat.commonOptions) { $0.union($1.ownOptions) }
    for key in options.keys.sorted() where !known.contains(key) {
      throw unknownOption(key, in: text, known: DatasetFormat.commonOptions)
    }
    return DatasetReference(source: .manifest(name: String(parts[0]), split: String(parts[1])), options: options)
  }

  private static func failure(_ text: String, _ problem: String) -> InputError {
    InputError(
      source: text.isEmpty ? "data set" : text, problem: problem,
      expected: "NAME/SPLIT (for example wider/train) or FORMAT:PATH (for example folder:photos)")
  }

  static func unknownOption(_ key: String, in text: String, known: Set<String>) -> InputError {
    InputError(
      source: text, field: "?\(key)=", problem: "no such setting here",
      expected: "one of \(known.sorted().joined(separator: ", "))")
  }

  private static func check(_ options: [String: String], of format: DatasetFormat, in text: String) throws {
    let known = format.ownOptions.union(DatasetFormat.commonOptions)
    for key in options.keys.sorted() where !known.contains(key) {
      throw unknownOption(key, in: text, known: known)
    }
  }

  /// Letters, digits, `-`, `_` and `.`, not beginning with a dot: a name that cannot leave its folder.
  static func isPlainWord(_ word: some StringProtocol) -> Bool {
    guard let first = word.utf8.first, first != UInt8(ascii: ".") else { return false }
    return word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  private static func splitSettings(_ text: String) -> (body: String, options: [String: String]) {
    guard let mark = text.lastIndex(of: "?") else { return (text, [:]) }
    let body = String(text[..<mark])
    let tail = text[text.index(after: mark)...]
    if tail.isEmpty { return (body, [:]) }
    var options: [String: String] = [:]
    for piece in tail.split(separator: "&", omittingEmptySubsequences: false) {
      guard let equals = piece.firstIndex(of: "=") else { return (text, [:]) }
      let key = piece[..<equals]
      let isWord = !key.isEmpty && key.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      guard isWord, options[String(key)] == nil else { return (text, [:]) }
      options[String(key)] = String(piece[piece.index(after: equals)...])
    }
    return (body, options)
  }
}

extension DatasetReference: CustomStringConvertible {
  /// The text that `parse` reads back.
  public var description: String {
    let body =
      switch source {
      case .manifest(let name, let split): "\(name)/\(split)"
      case .files(let format, let path): "\(format.rawValue):\(path)"
      }
    if options.isEmpty { return body.contains("?") ? body + "?" : body }
    return body + "?" + options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
  }
}

extension DatasetReference: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    self = try DatasetReference.parse(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
