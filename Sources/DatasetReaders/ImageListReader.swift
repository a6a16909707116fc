import Execution

/// A text file with one image path a line, without annotations.
///
/// `list:FILE` and `bg:FILE` (OpenCV's list of background images, in which lines that begin with `#` are remarks) take paths
/// relative to the list's own folder, or to `?root=DIR`. Names are the paths as written; a path that is there twice is
/// left out the second time and told. Empty lines are passed over, spaces and carriage returns at line ends taken off.
enum ImageListReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let text = try TextLines(contentsOf: request.path)
    builder.report(text.cosmeticProblems())
    let root = request.options["root"] ?? folderName(of: request.path)
    for line in text.lines {
      let name = String(line.trimmed)
      if name.isEmpty || (request.format == .bg && name.hasPrefix("#")) { continue }
      builder.add(
        name: name, path: joinedPath(root, name), file: request.path, line: line.number, repeats: .leftOut)
    }
  }
}
