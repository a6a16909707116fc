import Execution
import Foundation

extension ModelFile {
  /// The file's bytes: the same for the same content. Tensors lie in falling order of element size, then by name, so that
  /// each is aligned to its elements; the header is padded with spaces to a multiple of 8.
  public func bytes() throws -> [UInt8] {
    let (head, order) = try parts()
    var result = head
    result.reserveCapacity(head.count + order.reduce(0) { $0 + $1.bytes.count })
    for tensor in order { result += tensor.bytes }
    return result
  }

  /// What stands before the tensors' bytes, and the tensors in the file's order.
  private func parts() throws -> (head: [UInt8], tensors: [Tensor]) {
    let order = tensors.sorted { ($1.value.type.size, $0.key) < ($0.value.type.size, $1.key) }
    var offset = 0
    var entries: [(name: String, text: String)] = []
    for (name, tensor) in order {
      let end = offset + tensor.bytes.count
      let shape = tensor.shape.map(String.init).joined(separator: ",")
      entries.append(
        (name, "{\"dtype\":\"\(tensor.type.rawValue)\",\"shape\":[\(shape)],\"data_offsets\":[\(offset),\(end)]}"))
      offset = end
    }
    entries.sort { $0.name < $1.name }
    let metadata = [
      ("format", "windhover"), ("kind", kind), ("options", options),
      ("provenance", try ModelFile.json(provenance)), ("version", String(version)),
    ]
    let fields = metadata.map { "\(ModelFile.quoted($0)):\(ModelFile.quoted($1))" }.joined(separator: ",")
    var header = "{\"__metadata__\":{\(fields)}"
    for entry in entries { header += ",\(ModelFile.quoted(entry.name)):\(entry.text)" }
    header += "}"
    var text = Array(header.utf8)
    text += [UInt8](repeating: UInt8(ascii: " "), count: (8 - text.count % 8) % 8)
    guard text.count <= ModelFile.headerLimit else {
      throw InputError(
        source: source, problem: "the model's header is too long", found: "\(text.count) bytes",
        expected: "at most \(ModelFile.headerLimit)")
    }
    guard offset <= ModelFile.sizeLimit - 8 - text.count else {
      throw InputError(
        source: source, problem: "the model is too large", found: "\(8 + text.count + offset) bytes",
        expected: "at most \(ModelFile.sizeLimit), which are read")
    }
    var head: [UInt8] = []
    head.reserveCapacity(8 + text.count)
    withUnsafeBytes(of: UInt64(text.count).littleEndian) { head.append(contentsOf: $0) }
    head += text
    return (head, order.map(\.value))
  }

  /// Writes the file whole, or not at all. Memory: a copy of the largest tensor, not of the file.
  /// - Throws: `InputError` with the path and the reason.
  public func write(to path: String) throws {
    let (head, order) = try parts()
    try AtomicFile.write(([head].lazy + order.lazy.map(\.bytes)).lazy.map { Data($0) }, to: path)
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
