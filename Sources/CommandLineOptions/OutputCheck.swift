import Execution

/// Looks at all that a command is to write before its work begins: outputs that cannot be written, or that would take the
/// place of one another or of an input, are told at once and not after hours.
///
/// A program makes one of the options that say what they write (`OptionSpecification.written`), and hands it to the command,
/// which adds what follows from other things. Files are compared as places, links followed, so that two names of one file are
/// seen; with what is read `FileUse` compares them. Pipes and devices may be named more than once.
public struct OutputCheck: Sendable {
  private struct Entry {
    var option: String
    var path: String
    var place: FilePlace
  }

  /// The file that the command's training keeps what is done in, beside the model; `nil` for a pipe or a device, which
  /// nothing is kept beside.
  public private(set) var checkpoint: String?
  private var files: [FilePlace.Identity: Entry] = [:]
  private let uses: FileUse

  public init(uses: FileUse = .ofProgram) { self.uses = uses }

  /// The outputs that options name.
  /// - Throws: as `file`, `model` and `folder`.
  public init(_ options: ParsedOptions, uses: FileUse = .ofProgram) throws {
    self.uses = uses
    for option in options.specification.options {
      guard let output = option.output, let path = options.text(option.name) else { continue }
      switch output {
      case .fileOrStandardOutput where path == "-": break
      case .file, .fileOrStandardOutput: try file(option.name, path)
      case .model: try model(option.name, path)
      case .calibratedModel: try model(option.name, path, mayBeRead: true)
      case .training: try training(option.name, path)
      case .folder: try folder(option.name, path)
      case .fileOrFolder(let suffix) where path.lowercased().hasSuffix(suffix): try file(option.name, path)
      case .fileOrFolder: try folder(option.name, path)
      }
    }
  }

  /// Adds a file that an option names.
  /// - Parameter path: `nil`, where the option was not given, adds nothing.
  /// - Throws: `UsageError` for an empty name and for a file that another output names; `InputError` where it cannot be
  ///   written; `OverwriteError` where it is read.
  public mutating func file(_ option: String, _ path: String?) throws { try add(option, path, mayBeRead: false) }

  private mutating func add(_ option: String, _ path: String?, mayBeRead: Bool) throws {
    guard let entry = try OutputCheck.entry(option, path) else { return }
    try entry.place.checkFile()
    guard entry.place.kind != .stream else { return }
    try refuseNamed(entry)
    files[entry.place.identity] = entry
    try uses.willReplace(entry.place, option: option, mayBeRead: mayBeRead)
  }

  /// Adds a model.
  /// - Parameter mayBeRead: whether the model that is there may be read, to be written anew.
  /// - Throws: as `file`, and where a file that holds something but no model is there already: a photo, labels.
  public mutating func model(_ option: String, _ path: String, mayBeRead: Bool = false) throws {
    try add(option, path, mayBeRead: mayBeRead)
    guard OutputCheck.mayBeReplaced(path) else {
      throw UsageError(
        "\(option) would overwrite a file of another kind: \(path); give another name, or delete it")
    }
  }

  /// Adds the model that a training writes, with the checkpoint and the lock that it keeps beside it meanwhile.
  ///
  /// A checkpoint is of the form of our models, and replaces nothing else: what is deleted before the data are known, to
  /// begin anew, is none of them.
  /// - Throws: as `model`.
  public mutating func training(_ option: String, _ path: String) throws {
    try model(option, path)
    guard let lock = try FileLock.path(beside: path) else { return }
    let checkpoint = path + ".checkpoint"
    try model("the checkpoint of \(option)", checkpoint)
    self.checkpoint = checkpoint
    try file("the lock of \(option)", lock)
  }

  /// Adds a folder that files are written into.
  /// - Throws: as `file`.
  public mutating func folder(_ option: String, _ path: String?) throws {
    guard let entry = try OutputCheck.entry(option, path) else { return }
    try entry.place.checkFolder()
    try refuseNamed(entry)
  }

  private func refuseNamed(_ entry: Entry) throws {
    guard let other = files[entry.place.identity] else { return }
    let names = other.path == entry.path ? entry.path : "\(other.path) is \(entry.path)"
    throw UsageError("\(other.option) and \(entry.option) name one file: \(names)")
  }

  private static func entry(_ option: String, _ path: String?) throws -> Entry? {
    guard let path else { return nil }
    guard !path.isEmpty else { throw UsageError("\(option): found an empty name, expected where to write") }
    return Entry(option: option, path: path, place: try FilePlace(path))
  }

  /// Whether there is no file, an empty one, or by its first bytes a model: ours, which a program may have written under any
  /// name, or what the name promises: OpenCV's cascade (.xml) or dlib's fitter (.dat), which begins with the version 1 in two
  /// bytes and a negative number of rows (-2, -4 and so on: the sign is the length's highest bit).
  private static func mayBeReplaced(_ path: String) -> Bool {
    guard let place = try? FilePlace(path), place.kind == .regular else { return true }
    // OpenCV's own files begin with a licence of several thousand bytes.
    let head = FileBytes.prefix(of: path, count: 1 << 16)
    if head.isEmpty { return true }
    // The length of a safetensors file's header is of eight bytes, and the header an object.
    if head.count > 8, head[8] == UInt8(ascii: "{"), head[7] == 0 { return true }
    let name = path.lowercased()
    if name.hasSuffix(".dat") { return head.starts(with: [1, 1]) && head.count > 2 && head[2] > 0x80 }
    guard name.hasSuffix(".xml") else { return false }
    let text = String(decoding: head, as: UTF8.self)
    // Its other files (a camera's calibration) are of the same form; a cascade says what it is.
    return text.contains("<opencv_storage") && (text.contains("<cascade") || text.contains("opencv-haar-classifier"))
  }
}
