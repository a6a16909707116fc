import Synchronization

/// The files that a program reads and those that it replaces: none may be both.
///
/// Whatever opens a file says so here (`willRead`): the readers of models, lists, labels, results, configurations and pictures.
/// A data set names all its pictures when it is loaded, long before they are opened. What a command writes, its options
/// say, and `OutputCheck` brings it here before the command runs (`willReplace`). Whichever of the two comes later throws, so
/// that no command compares anything; and what no one announced, or went on after the error, `AtomicFile` refuses to
/// replace or delete.
///
/// Only programs keep account (`begin`): who calls a library and writes over what was read has reasons. A checkpoint is
/// there to be read and replaced: its reader says nothing here. What `?split=` and `?exclude=` leave out is not read.
/// Folders and pipes do not count.
public final class FileUse: Sendable {
  /// What all readers and writers of this process tell.
  public static let ofProgram = FileUse()

  private struct Output {
    var option: String
    var path: String
    var mayBeRead: Bool
  }

  private struct State {
    var isKept = false
    /// Paths to read that were not looked at yet, since nothing was to be replaced.
    var unseen: Set<String> = []
    var inputs: [FilePlace.Identity: String] = [:]
    var outputs: [FilePlace.Identity: Output] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  /// Keeps account from now on.
  public func begin() { state.withLock { $0.isKept = true } }

  /// Says that files are read, now or later.
  /// - Throws: `OverwriteError` where one is to be replaced.
  /// - Complexity: a look at each file where an output exists already, else none.
  public func willRead(_ paths: some Sequence<String>) throws {
    try state.withLock { state in
      guard state.isKept else { return }
      state.unseen.formUnion(paths)
      if state.outputs.isEmpty { return }
      for identity in FileUse.look(&state) {
        if let output = FileUse.output(identity, state) { try FileUse.check(identity, output, state) }
      }
    }
  }

  /// Says that a file is to be replaced. What does not exist yet cannot be read either, and is passed over.
  /// - Parameters:
  ///   - option: what names the output, for the error ("--report").
  ///   - mayBeRead: for what is made anew of itself.
  /// - Throws: `OverwriteError` where it is read.
  public func willReplace(_ place: FilePlace, option: String, mayBeRead: Bool = false) throws {
    guard place.kind == .regular else { return }
    try state.withLock { state in
      guard state.isKept else { return }
      let output = Output(option: option, path: place.path, mayBeRead: mayBeRead)
      state.outputs[place.identity] = output
      FileUse.look(&state)
      try FileUse.check(place.identity, output, state)
    }
  }

  /// - Throws: `OverwriteError` for a file that is read, announced as an output or not: it is to be replaced or deleted.
  func checkReplacing(_ place: FilePlace) throws {
    guard place.kind == .regular else { return }
    try state.withLock { state in
      guard state.isKept else { return }
      FileUse.look(&state)
      let unannounced = Output(option: "an output", path: place.path, mayBeRead: false)
      try FileUse.check(place.identity, FileUse.output(place.identity, state) ?? unannounced, state)
    }
  }

  /// Looks at the files that were only named so far.
  @discardableResult
  private static func look(_ state: inout State) -> [FilePlace.Identity] {
    let found = state.unseen.compactMap { path in identity(of: path).map { (path, $0) } }
    state.unseen = []
    for (path, identity) in found { state.inputs[identity] = path }
    return found.map(\.1)
  }

  private static func identity(of path: String) -> FilePlace.Identity? {
    guard case .file(_, let device, let inode) = FileBytes.kind(of: path) else { return nil }
    return .existing(device: device, inode: inode)
  }

  /// What is announced for a file; `nil` where the output's name leads elsewhere by now: one that was replaced may have left
  /// its number to another file.
  private static func output(_ identity: FilePlace.Identity, _ state: State) -> Output? {
    guard let output = state.outputs[identity], self.identity(of: output.path) == identity else { return nil }
    return output
  }

  private static func check(_ identity: FilePlace.Identity, _ output: Output, _ state: State) throws {
    // A file that is gone by now may have left its number to another.
    guard !output.mayBeRead, let input = state.inputs[identity], self.identity(of: input) == identity else { return }
    let names = output.path == input ? input : "\(output.path) is \(input)"
    throw OverwriteError(
      description: "\(output.option) would overwrite a file that is read: \(names); give another name")
  }
}

/// A command line by which an output would take the place of an input.
public struct OverwriteError: Error, Sendable, CustomStringConvertible {
  public let description: String
}
