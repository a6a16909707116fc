import Execution
import Foundation
import Geometry
import TestSupport
import Testing

@testable import DatasetReaders

/// Files that are cut, flipped or of another kind: an error or problems, never a crash, and no number that is not finite.
struct DamagedFileTests {
  static let contents: [(format: String, file: String, bytes: [UInt8])] = {
    let int32 = { (value: Int) -> [UInt8] in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    return [
      (
        "wider", "wider_face_split/wider_face_train_bbx_gt.txt",
        Array("a.png\n1\n1 2 3 4 0 0 0 0 0 0 \nb.png\n0\n0 0 0 0 0 0 0 0 0 0\n".utf8)
      ),
      ("cmu-mit", "ground_truth_bboxes.txt", Array("a.png 1 2 3 4\na.png 5 6 7.5 8\n".utf8)),
      ("ibug", "a.pts", Array("version: 1\nn_points: 2\n{\n1.5 2.5\n3 4\n}\n".utf8)),
      (
        "imglab", "x.xml",
        Array(
          "<dataset><images><image file='a.png'><box top='1' left='2' width='3' height='4'><label>f</label><part name='0' x='1' y='2'/></box></image></images></dataset>"
            .utf8)
      ),
      ("info", "info.dat", Array("a.png 1 1 2 3 4\nb.png 0\n".utf8)),
      ("list", "l.txt", Array("a.png\nb.png\n".utf8)),
      ("jsonl", "l.jsonl", Array("{\"path\":\"a.png\",\"annotations\":[{\"box\":[1,2,3,4],\"label\":\"f\"}]}\n".utf8)),
      (
        "voc", "Annotations/a.xml",
        Array(
          "<annotation><filename>a.png</filename><object><name>f</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>3</ymax></bndbox></object></annotation>"
            .utf8)
      ),
      (
        "vec", "f.vec",
        int32(2) + int32(4) + [0, 0, 0, 0] + [0, 1, 0, 2, 0, 3, 0, 4, 0] + [0, 5, 0, 6, 0, 7, 0, 8, 0]
      ),
      (
        "inria", "Train/annotations/a.txt",
        Array(
          "# PASCAL Annotation Version 1.00\nObjects with ground truth : 1 { \"PASperson\" }\n# Top left pixel co-ordinates : (0, 0)\nBounding box for object 1 \"PASperson\" (Xmin, Ymin) - (Xmax, Ymax) : (1, 2) - (3, 4)\n"
            .utf8)
      ),
    ]
  }()

  static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for place in ["", "images/", "WIDER_train/images/", "JPEGImages/", "Train/pos/"] {
      for name in ["a.png", "b.png"] { try folder.writeImage(place + name) }
    }
    return folder
  }

  /// Loads and looks at everything; an `InputError` is fine.
  static func exercise(_ folder: TemporaryFolder, _ format: String, _ file: String, _ note: String) throws {
    let isFolderFormat = ["wider", "cmu-mit", "ibug", "voc", "inria"].contains(format)
    do {
      let set = try folder.load("\(format):\(folder.path)\(isFolderFormat ? "" : "/" + file)")
      for (index, image) in set.images.enumerated() {
        for annotation in image.annotations {
          #expect(annotation.box.isFinite && !annotation.box.isEmpty, "\(note)")
          #expect(
            annotation.landmarks.allSatisfy { $0.point.map { $0.x.isFinite && $0.y.isFinite } ?? true }, "\(note)")
        }
        _ = try? set.image(at: index)
      }
      _ = try DatasetSummary(set)
      _ = try DatasetCheck().problems(of: set, executor: .serial)
    } catch let error as InputError {
      #expect(!error.description.isEmpty)
    }
  }

  @Test(arguments: contents.indices) func cutAtEachTenth(index: Int) throws {
    let (format, file, bytes) = Self.contents[index]
    let folder = try Self.folder()
    for tenth in 0...10 {
      try folder.write(Array(bytes.prefix(bytes.count * tenth / 10)), to: file)
      try Self.exercise(folder, format, file, "\(format) cut at \(tenth)/10")
    }
  }

  @Test(arguments: contents.indices) func flippedBits(index: Int) throws {
    let (format, file, bytes) = Self.contents[index]
    let folder = try Self.folder()
    for seed in testSeeds {
      var random = RandomStream(seed: seed)
      for round in 0..<12 {
        var damaged = bytes
        for _ in 0...random.index(below: 4) {
          damaged[random.index(below: damaged.count)] ^= 1 << UInt8(random.index(below: 8))
        }
        try folder.write(damaged, to: file)
        try Self.exercise(folder, format, file, "\(format), seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: contents.indices) func everyOtherFormatsContent(index: Int) throws {
    let folder = try Self.folder()
    let (format, file, _) = Self.contents[index]
    for other in Self.contents where other.format != format {
      try folder.write(other.bytes, to: file)
      try Self.exercise(folder, format, file, "\(format) given \(other.format)")
    }
  }

  @Test(arguments: ["nan", "inf", "-inf", "1e999", "0x10", "1e10", "", "1,5", "٣"])
  func whatIsNoNumberIsNone(text: String) {
    #expect(NumberField.double(text) == nil)
  }

  @Test func minusZeroAndPlusAreNumbers() {
    #expect(NumberField.double("-0")?.sign == .plus)
    #expect(NumberField.double("+1.5e1") == 15)
    #expect(NumberField.count("-0") == nil)
  }

  @Test(arguments: [
    "<!DOCTYPE x [<!ENTITY a \"b\">]><dataset/>", "<dataset>&a;</dataset>", "<!DOCTYPE x SYSTEM 'x'><x>&a;</x>",
    "<a><b></a></b>", "<a/><b/>", "", "<a",
    "<a b='1' b='2'/>", "<a b=1/>", "text", "<a>&#0;</a>", "<!-- <a/>", "<a>", "</a>",
  ])
  func xmlThatIsNotWellFormedThrows(text: String) throws {
    #expect(throws: InputError.self) {
      let scanner = try XMLScanner(bytes: Array(text.utf8), path: "x.xml")
      while try scanner.next() != nil {}
    }
  }

  @Test func xmlReferencesCDATACommentsAndDepth() throws {
    let scanner = try XMLScanner(
      bytes: Array(
        "<?xml version='1.0'?><!DOCTYPE a><!-- c --><a k='&lt;&#x41;&#66;'>x&amp;y<![CDATA[<b>]]><c/></a>"
          .utf8), path: "x")
    var events: [XMLScanner.Event] = []
    while let event = try scanner.next() { events.append(event) }
    #expect(
      events == [
        .start(name: "a", attributes: ["k": "<AB"]), .text("x&y<b>"), .start(name: "c", attributes: [:]),
        .end(name: "c"), .end(name: "a"),
      ])
    #expect(throws: InputError.self) {
      let deep = try XMLScanner(bytes: Array(String(repeating: "<a>", count: 100_000).utf8), path: "x")
      while try deep.next() != nil {}
    }
    func nested(_ depth: Int) throws -> Int {
      try xmlEvents(Array((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8))
        .count
    }
    #expect(try nested(XMLScanner.depthLimit) == 2 * XMLScanner.depthLimit)
    let error = #expect(throws: InputError.self) { try nested(XMLScanner.depthLimit + 1) }
    #expect(error?.problem == "elements nest deeper than 64")
  }

  /// The events of a document with the lines they are at.
  private func xmlEvents(_ bytes: [UInt8]) throws -> [(event: XMLScanner.Event, line: Int)] {
    let scanner = try XMLScanner(bytes: bytes, path: "x.xml")
    var events: [(XMLScanner.Event, Int)] = []
    while let event = try scanner.next() { events.append((event, scanner.line)) }
    return events
  }

  @Test func xmlOfOtherEncodingsIsReadAsItSays() throws {
    let latin1 = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>caf".utf8) + [0xE9] + Array("</a>".utf8)
    #expect(try xmlEvents(latin1).map(\.event)[1] == .text("caf\u{E9}"))
    let utf16 = "<?xml version='1.0' encoding='UTF-16'?><a>caf\u{E9}</a>".utf16.flatMap {
      [UInt8($0 & 255), UInt8($0 >> 8)]
    }
    #expect(try xmlEvents([0xFF, 0xFE] + utf16).map(\.event)[1] == .text("caf\u{E9}"))
    do {
      _ = try xmlEvents(Array("<a>\ncaf".utf8) + [0xE9] + Array("</a>".utf8))
      Issue.record("bytes that are no UTF-8 were read")
    } catch {
      #expect(
        "\(error)".hasPrefix("x.xml:2: is not well-formed XML: invalid token") && "\(error)".contains("ISO-8859-1"))
    }
  }

  @Test func xmlOfAnEncodingThatIsNotKnownIsReadWhereItIsASCII() throws {
    for name in ["UTF8", "gb2312", "windows-1252"] {
      let head = Array("<?xml version='1.0' encoding='\(name)'?><a>caf".utf8)
      #expect(try xmlEvents(head + Array("e</a>".utf8)).map(\.event)[1] == .text("cafe"))
      #expect(throws: InputError.self) { try xmlEvents(head + [0xE9] + Array("</a>".utf8)) }
    }
  }

  /// Half a minute with pieces of one size: an unfinished comment is looked at from its beginning for each piece.
  @Test(.timeLimit(.minutes(1))) func aLongCommentOrAttributeIsReadInTimeThatGrowsWithIt() throws {
    let long = String(repeating: "x", count: 1 << 25)
    let begin = ContinuousClock.now
    #expect(try xmlEvents(Array("<a><!--\(long)-->text</a>".utf8)).map(\.event)[1] == .text("text"))
    guard case .start(_, let attributes) = try xmlEvents(Array("<a b='\(long)'/>".utf8))[0].event else {
      Issue.record("no start")
      return
    }
    #expect(attributes["b"]?.utf8.count == 1 << 25)
    #expect(ContinuousClock.now - begin < .seconds(10))
  }

  @Test func xmlLongerThanAPieceKeepsItsTextsAndLines() throws {
    let count = 5000
    let text = "<list>\n" + (0..<count).map { "<item number='\($0)'>value \($0)</item>\n" }.joined() + "</list>"
    let events = try xmlEvents(Array(text.utf8))
    #expect(events.count == 2 + 3 * count)
    for index in 0..<count {
      let item = events[(1 + 3 * index)..<(4 + 3 * index)]
      #expect(
        item.map(\.event) == [
          .start(name: "item", attributes: ["number": "\(index)"]), .text("value \(index)"), .end(name: "item"),
        ])
      #expect(item.allSatisfy { $0.line == index + 2 })
    }
  }
}
