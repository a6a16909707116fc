import Execution

#if canImport(Glibc)
  import Glibc
#endif

/// Every image below a folder, without annotations.
///
/// `folder:DIR` takes files with the suffixes of PNG, JPEG and PNM, and files with another suffix or none whose first
/// bytes are those of such an image. Names are paths relative to DIR, in bytewise order. Hidden files and folders are
/// passed over. Links are followed, though not back into a folder that is already being read. Images of formats that are
/// not read are left out and told one by one, other files in one note.
enum ImageFolderReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    try request.requireFolder()
    let listing = try files(below: request.path, request.cancellation)
    builder.report(listing.problems)
    var others: [String] = []
    for name in listing.names {
      try request.cancellation.check()
      let path = joinedPath(request.path, name)
      switch ImageNames.kind(of: path) {
      case .readable, .unsupported: builder.add(name: name, path: path, file: path)
      case .other: others.append(name)
      }
    }
    if let first = others.first {
      builder.report(
        .notAnImage, .leftOut, file: request.path,
        "\(counted(others.count, "file")) of the folder \(others.count == 1 ? "is no image" : "are no images"), first \(quoted(first))"
      )
    }
  }

  struct Listing {
    /// Relative to the folder, bytewise.
    var names: [String] = []
    var problems: [DatasetProblem] = []
  }

  /// All plain files below a folder that are not hidden.
  static func files(below root: String, _ cancellation: Cancellation) throws -> Listing {
    var listing = Listing()
    try collect(root, prefix: "", ancestors: [], cancellation, into: &listing)
    listing.names.sort(by: bytewise)
    return listing
  }

  private struct FolderIdentity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private static func collect(
    _ folder: String, prefix: String, ancestors: Set<FolderIdentity>, _ cancellation: Cancellation,
    into listing: inout Listing
  ) throws {
    guard case .folder(let device, let inode) = FileBytes.kind(of: folder) else { return }
    let identity = FolderIdentity(device: device, inode: inode)
    func problem(_ message: String) {
      listing.problems.append(
        DatasetProblem(file: folder, kind: .unreadableFolder, outcome: .leftOut, message: message))
    }
    guard !ancestors.contains(identity) else { return problem("the folder leads back into itself") }
    guard let handle = opendir(folder) else {
      return problem("the folder cannot be read: \(String(cString: strerror(errno)))")
    }
    var names: [String] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let name else {
        problem("a name in the folder is not UTF-8")
        continue
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    closedir(handle)
    for name in names {
      try cancellation.check()
      switch FileBytes.kind(of: joinedPath(folder, name)) {
      case .file: listing.names.append(prefix + name)
      case .folder:
        try collect(
          joinedPath(folder, name), prefix: "\(prefix)\(name)/", ancestors: ancestors.union([identity]), cancellation,
          into: &listing)
      case .missing:
        listing.problems.append(
          DatasetProblem(
            file: joinedPath(folder, name), kind: .missingImage, outcome: .leftOut, message: "the link leads nowhere"))
      case .other: break
      }
    }
  }
}
