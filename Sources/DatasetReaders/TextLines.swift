import Execution
import Foundation

/// The lines of a text file as people really leave them: with a byte-order mark, CR LF or CR line ends, spaces at the
/// ends, no newline at the end, Latin-1 letters.
struct TextLines {
  struct Line {
    /// 1-based.
    var number: Int
    /// Without the line end and without spaces and tabs at its end.
    var text: String
    var hadTrailingSpace: Bool

    /// What stands between spaces and tabs.
    var fields: [Substring] { text.split(whereSeparator: { $0 == " " || $0 == "\t" }) }
    /// Without spaces and tabs at its beginning either.
    var trimmed: Substring { text.drop(while: { $0 == " " || $0 == "\t" }) }
  }

  let path: String
  private(set) var lines: [Line] = []
  private(set) var hadByteOrderMark = false
  private(set) var firstCarriageReturn: Int?
  private(set) var carriageReturnCount = 0
  private(set) var isLatin1 = false

  /// Larger annotation files than this are refused.
  static let byteLimit = 1 << 30

  /// - Throws: `InputError` where the file is missing, a folder, too large, or not text.
  init(contentsOf path: String) throws {
    self.init(path: path, bytes: try FileBytes.read(path, limit: TextLines.byteLimit))
    if let problem = binaryFault { throw problem }
  }

  private var binaryFault: InputError?

  private init(path: String, bytes: [UInt8]) {
    self.path = path
    var content = bytes[...]
    if content.starts(with: [0xEF, 0xBB, 0xBF]) {
      hadByteOrderMark = true
      content = content.dropFirst(3)
    }
    if content.starts(with: [0xFF, 0xFE]) || content.starts(with: [0xFE, 0xFF]) {
      binaryFault = InputError(
        source: path, problem: "is UTF-16 text", expected: "UTF-8", hint: "convert it, for example with iconv")
      return
    }
    if let zero = content.firstIndex(of: 0) {
      binaryFault = InputError(
        source: path, field: "byte \(zero)", problem: "is not a text file", found: "a zero byte")
      return
    }
    let newline = UInt8(ascii: "\n")
    let carriageReturn = UInt8(ascii: "\r")
    let separator = content.contains(newline) ? newline : carriageReturn
    isLatin1 = String(validating: content, as: UTF8.self) == nil
    var pieces = content.split(separator: separator, omittingEmptySubsequences: false)
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    lines.reserveCapacity(pieces.count)
    for (index, piece) in pieces.enumerated() {
      var end = piece.endIndex
      if separator == carriageReturn && content.contains(carriageReturn) { noteCarriageReturn(index + 1) }
      while end > piece.startIndex, piece[end - 1] == carriageReturn {
        end -= 1
        noteCarriageReturn(index + 1)
      }
      let full = end
      while end > piece.startIndex, [0x20, 0x09, carriageReturn].contains(piece[end - 1]) { end -= 1 }
      let body = piece[piece.startIndex..<end]
      let text =
        isLatin1
        ? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) })) : String(decoding: body, as: UTF8.self)
      lines.append(Line(number: index + 1, text: text, hadTrailingSpace: end < full))
    }
  }

  private mutating func noteCarriageReturn(_ line: Int) {
    if firstCarriageReturn == nil { firstCarriageReturn = line }
    carriageReturnCount += 1
  }

  /// The faults of the text itself, one entry a kind with the first line and the number of lines.
  ///
  /// - Parameter matters: the lines whose trailing spaces are worth telling (some formats publish them on every line).
  func cosmeticProblems(where matters: (Line) -> Bool = { _ in true }) -> [DatasetProblem] {
    var problems: [DatasetProblem] = []
    if hadByteOrderMark {
      problems.append(
        DatasetProblem(
          file: path, line: 1, kind: .byteOrderMark, outcome: .kept, message: "a byte-order mark was taken off"))
    }
    if isLatin1 {
      problems.append(
        DatasetProblem(
          file: path, kind: .encoding, outcome: .kept, message: "the text is not UTF-8 and was read as Latin-1"))
    }
    if let first = firstCarriageReturn {
      problems.append(
        DatasetProblem(
          file: path, line: first, kind: .carriageReturn, outcome: .kept,
          message: "carriage returns were taken off \(counted(carriageReturnCount, "line")), first here"))
    }
    let trailing = lines.filter { $0.hadTrailingSpace && matters($0) }
    if let first = trailing.first {
      problems.append(
        DatasetProblem(
          file: path, line: first.number, kind: .trailingSpace, outcome: .kept,
          message: "trailing spaces were taken off \(counted(trailing.count, "line")), first here"))
    }
    return problems
  }
}

/// "1 line", "2 lines".
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// At most 60 characters of a text, in quotes, for messages: a long one's beginning and end, for a path's end says most.
func quoted(_ text: some StringProtocol) -> String {
  text.count <= 60 ? "\"\(text)\"" : "\"\(text.prefix(20))...\(text.suffix(37))\""
}
