import Execution

/// A text file with one image path a line, without annotations.
///
/// `list:FILE` and `bg:FILE` (OpenCV's list of background images, in which lines that begin with `#` are remarks) take paths
/// relative to the list's own folder, or to `?root=DIR`. Names are the paths as written; a path that is there twice is
/// left out the second time and told. Empty lines are passed over, spaces and carriage returns at line ends taken off.
/// A line that names no file but reads as one of `info:` (a path, a count, boxes) is an error: the objects would be lost.
enum ImageListReader {
  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let text = try TextLines(contentsOf: request.path)
    builder.report(text.cosmeticProblems())
    let root = request.options["root"] ?? folderName(of: request.path)
    for line in text.lines {
      let name = String(line.trimmed)
      if name.isEmpty || (request.format == .bg && name.hasPrefix("#")) { continue }
      let path = joinedPath(root, name)
      if let image = InfoListReader.imageName(in: line), ImageNames.find(path) == nil {
        throw InputError(
          source: request.path, line: line.number, problem: "names an image with objects", found: name,
          expected: "the path of an image alone, for example \(image)",
          hint: "info:\(request.path) reads images with their objects")
      }
      builder.add(
        name: name, path: path, file: request.path, line: line.number, repeats: .leftOut)
    }
  }
}
