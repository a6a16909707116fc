/// `folder/name`, or `name` itself where it is absolute or the folder is empty.
func joinedPath(_ folder: String, _ name: some StringProtocol) -> String {
  if name.hasPrefix("/") || folder.isEmpty { return String(name) }
  return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
}

/// The part of a path before the last slash: `""` where there is none.
func folderName(of path: some StringProtocol) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "" }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The part of a path behind the last slash.
func fileName(of path: some StringProtocol) -> String {
  path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? String(path)
}

/// A path without the suffix of its file name; a name that begins with its only dot has none.
func withoutSuffix(_ path: some StringProtocol) -> String {
  let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
  guard let dot = path[start...].lastIndex(of: "."), dot > start else { return String(path) }
  return String(path[..<dot])
}

/// The suffix of a file name in lower case, without the dot: `""` where there is none.
func lowercasedSuffix(_ path: some StringProtocol) -> String {
  let stem = withoutSuffix(path)
  return stem.count == path.count ? "" : path.dropFirst(stem.count + 1).lowercased()
}

/// Order by bytes of UTF-8, the same in every locale.
func bytewise(_ a: String, _ b: String) -> Bool {
  a.utf8.lexicographicallyPrecedes(b.utf8)
}
