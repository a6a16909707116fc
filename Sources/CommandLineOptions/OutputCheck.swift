import Execution

/// Looks at all that a command is to write before its work begins: outputs that cannot be written, or that would take the
/// place of one another or of an input, are told at once and not after hours.
///
/// Files are compared as places, links followed, so that two names of one file are seen. Pipes and devices may be named
/// more than once.
public struct OutputCheck: Sendable {
  private struct Entry {
    var option: String
    var path: String
    var place: FilePlace
  }

  private var files: [FilePlace.Identity: Entry] = [:]

  public init() {}

  /// Adds a file that an option names.
  /// - Parameter path: `nil`, where the option was not given, adds nothing.
  /// - Throws: `UsageError` for an empty name and for a file that another output names; `InputError` where it cannot be
  ///   written.
  public mutating func file(_ option: String, _ path: String?) throws {
    guard let entry = try OutputCheck.entry(option, path) else { return }
    try entry.place.checkFile()
    guard entry.place.kind != .stream else { return }
    if let other = files[entry.place.identity] {
      throw UsageError("\(other.option) and \(option) name one file: \(OutputCheck.names(other.path, entry.path))")
    }
    files[entry.place.identity] = entry
  }

  /// Adds a model.
  /// - Throws: as `file`, and where a file that holds something but no model is there already: a photo, labels.
  public mutating func model(_ option: String, _ path: String) throws {
    try file(option, path)
    guard OutputCheck.mayBeReplaced(path) else {
      throw UsageError("\(option) would overwrite a file that is no model: \(path); give another name, or delete it")
    }
  }

  /// Adds the model that a training writes, with the checkpoint and the lock that it keeps beside it meanwhile.
  /// - Returns: the checkpoint's path; `nil` for a pipe or a device, which nothing is kept beside.
  /// - Throws: as `model`.
  public mutating func training(_ option: String, _ path: String) throws -> String? {
    try model(option, path)
    guard let lock = try FileLock.path(beside: path) else { return nil }
    try file("the checkpoint of \(option)", path + ".checkpoint")
    try file("the lock of \(option)", lock)
    return path + ".checkpoint"
  }

  /// Adds a folder that files are written into.
  /// - Throws: as `file`.
  public mutating func folder(_ option: String, _ path: String?) throws {
    guard let entry = try OutputCheck.entry(option, path) else { return }
    try entry.place.checkFolder()
    if let other = files[entry.place.identity] {
      throw UsageError("\(other.option) and \(option) name one file: \(OutputCheck.names(other.path, entry.path))")
    }
  }

  /// Compares the outputs with files that are read. Folders, and names that lead nowhere, are passed over.
  ///
  /// - Parameter what: what they are, for the error ("--config", "the picture").
  /// - Throws: `UsageError` where an output is one of them.
  /// - Complexity: nothing while no output exists yet; otherwise a look at each input.
  public func inputs(_ what: String, _ paths: some Sequence<String>) throws {
    let existing = files.filter { $0.value.place.kind == .regular }
    guard !existing.isEmpty else { return }
    for path in paths {
      guard let place = try? FilePlace(path), place.kind == .regular else { continue }
      guard let output = existing[place.identity] else { continue }
      throw UsageError(
        "\(output.option) would overwrite \(what) that is read: \(OutputCheck.names(output.path, path)); give another name"
      )
    }
  }

  /// Whether there is no file, an empty one, or a model by its first bytes: of ours, OpenCV's, or dlib's, which begin with
  /// the version 1 in two bytes and a negative number of rows (-2, -4 and so on: the sign is the length's highest bit).
  private static func mayBeReplaced(_ path: String) -> Bool {
    guard let place = try? FilePlace(path), place.kind == .regular else { return true }
    // OpenCV's own files begin with a licence of several thousand bytes.
    let head = FileBytes.prefix(of: path, count: 1 << 16)
    // The length of a safetensors file's header is of eight bytes, and the header an object.
    return head.isEmpty || (head.starts(with: [1, 1]) && head.count > 2 && head[2] > 0x80)
      || (head.count > 8 && head[8] == UInt8(ascii: "{") && head[7] == 0)
      || String(decoding: head, as: UTF8.self).contains("<opencv_storage")
  }

  private static func entry(_ option: String, _ path: String?) throws -> Entry? {
    guard let path else { return nil }
    guard !path.isEmpty else { throw UsageError("\(option): found an empty name, expected where to write") }
    return Entry(option: option, path: path, place: try FilePlace(path))
  }

  private static func names(_ first: String, _ second: String) -> String {
    first == second ? first : "\(first) is \(second)"
  }
}
