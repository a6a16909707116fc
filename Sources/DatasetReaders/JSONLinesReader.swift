import Execution
import Foundation
import Geometry

/// This package's own exchange form: one `AnnotatedImage` as JSON a line.
///
/// `jsonl:FILE` reads lines of
/// `{"name": "a.jpg", "path": "photos/a.jpg", "group": "a", "annotations": [{"box": [x, y, w, h], "label": "face",
/// "isIgnored": false, "landmarks": [{"name": "0", "point": {"x": 1, "y": 2}}], "attributes": {"blur": "1"}}]}`.
/// Needed are `path` and, of an annotation, `box` and `label`; the name is then the path. Paths are relative to the file's own
/// folder, or to `?root=DIR`.
///
/// **Coordinates:** this package's own (continuous pixels, origin at the top left corner): taken as they are.
///
/// Lines stand alone: one that is no such object is left out and told. A key that is not known is told once, where it
/// comes first. `Dataset.jsonLines()` writes the form.
enum JSONLinesReader {
  private struct Line: Decodable {
    struct Item: Decodable {
      var box: Box
      var label: String
      var isIgnored: Bool?
      var landmarks: [Landmark]?
      var attributes: [String: String]?
    }
    var name: String?
    var path: String
    var group: String?
    var annotations: [Item]?
  }

  /// What a line has besides its known keys, as "annotations.colour".
  private struct UnknownKeys: Decodable {
    private struct Key: CodingKey {
      let stringValue: String
      let intValue: Int? = nil
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    private struct Item: Decodable {
      var unknown: Set<String>

      init(from decoder: any Decoder) throws {
        let keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
        unknown = Set(keys).subtracting(["box", "label", "isIgnored", "landmarks", "attributes"])
      }
    }

    var names: Set<String>

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Key.self)
      names = Set(values.allKeys.map(\.stringValue)).subtracting(["name", "path", "group", "annotations"])
      let items = try values.decodeIfPresent([Item].self, forKey: Key(stringValue: "annotations")) ?? []
      for key in items.reduce(into: Set<String>(), { $0.formUnion($1.unknown) }) { names.insert("annotations.\(key)") }
    }
  }

  static func read(_ request: ReadRequest, into builder: inout DatasetBuilder) throws {
    let file = request.path
    let text = try TextLines(contentsOf: file)
    builder.report(text.cosmeticProblems())
    let root = request.options["root"] ?? folderName(of: file)
    let decoder = JSONDecoder()
    var readCount = 0
    var firstFault: InputError?
    var unknown: Set<String> = []
    for line in text.lines where !line.trimmed.isEmpty {
      let object: Line
      let bytes = Data(line.text.utf8)
      do {
        try JSONSyntax.check(bytes, source: file, line: line.number)
        object = try decoder.decode(Line.self, from: bytes)
        for name in try decoder.decode(UnknownKeys.self, from: bytes).names.sorted() {
          guard unknown.insert(name).inserted else { continue }
          builder.report(
            .unknownKey, .leftOut, file: file, line: line.number, "the key \(quoted(name)) means nothing here")
        }
      } catch {
        let fault =
          (error as? DecodingError).map {
            JSONFault.inputError($0, of: Line.self, from: bytes, source: file, line: line.number)
          } ?? error as? InputError
        guard let fault else { throw error }
        if firstFault == nil { firstFault = fault }
        builder.report(
          .malformedLine, .leftOut, file: file, line: line.number,
          (fault.field.map { "\($0): " } ?? "") + fault.problem + (fault.found.map { ": found \($0)" } ?? ""))
        continue
      }
      readCount += 1
      let entries = (object.annotations ?? []).map { item in
        DatasetBuilder.Entry(
          annotation: Annotation(
            box: item.box, label: item.label, isIgnored: item.isIgnored ?? false, landmarks: item.landmarks ?? [],
            attributes: item.attributes ?? [:]), line: line.number)
      }
      builder.add(
        name: object.name ?? object.path, path: joinedPath(root, object.path), entries: entries, group: object.group,
        file: file, line: line.number)
    }
    if readCount == 0 {
      throw firstFault ?? InputError(source: file, problem: "is empty", expected: "one JSON object a line")
    }
  }
}

extension Dataset {
  /// The annotations in the exchange form that `jsonl:` reads, one line an image, keys sorted.
  /// - Throws: an encoding error where a number is not finite.
  public func jsonLines() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try images.map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
  }
}
