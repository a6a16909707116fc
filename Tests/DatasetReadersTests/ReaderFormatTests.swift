import Execution
import Foundation
import Geometry
import Imaging
import Testing

@testable import DatasetReaders

/// Each format, worked by hand.
struct ReaderFormatTests {
  @Test func cmuMITTakesImagesWithoutFacesToo() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.c.png", "none.png"] { try folder.writeImage("images/\(name)") }
    try folder.write(
      "a.gif 106 22 152 80\na.gif 1 2 3 4\nb.c.png 5 5 5 9\ngone.png 1 1 2 2\nrubbish\nb.c.png 1 2 1e999 4",
      to: "ground_truth_bboxes.txt")
    let set = try folder.load("cmu-mit:\(folder.path)")
    #expect(
      set.boxes == ["a.png": [box(106, 22, 46, 58), box(1, 2, 2, 2)], "b.c.png": [], "none.png": []])
    #expect(set.problems(.emptyBox).map(\.line) == [3])
    #expect(set.problems(.missingImage).map(\.line) == [4])
    #expect(set.problems(.malformedLine).map(\.line) == [5, 6])
    #expect(set.problems.count == 4)
  }

  @Test func inriaWindowsNegativesAndFullPhotos() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("96X160H96/Train/pos/crop001001a.jpg")
    try folder.writeImage("96X160H96/Train/pos/crop001001b.jpg")
    try folder.writeImage("70X134H96/Test/pos/person_7a.png")
    try folder.writeImage("Train/neg/00000002a.jpg")
    try folder.writeImage("Test/pos/crop_000001.png")
    try folder.write(
      Array("# PASCAL Annotation Version 1.00\r\n\r\nDatabase : \"Rh".utf8) + [0xF4]
        + Array(
          """
          ne"\r\nObjects with ground truth : 3 { "PASperson" "PAScat" }\r
          # Top left pixel co-ordinates : (0, 0)\r
          Original label for object 1 "PASperson" : "UprightPerson"\r
          Center point on object 1 "PASperson" (X, Y) : (327, 164)\r
          Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (262, 109) - (378, 484)\r
          Bounding box for object 2 "PAScat" (Xmin, Ymin) - (Xmax, Ymax) : (0, 0) - (0, 0)\r\n
          """.utf8), to: "Test/annotations/crop_000001.txt")
    let set = try folder.load("inria:\(folder.path)")
    #expect(set.boxes["96X160H96/Train/pos/crop001001a.jpg"] == [box(16, 16, 64, 128)])
    #expect(set.boxes["70X134H96/Test/pos/person_7a.png"] == [box(3, 3, 64, 128)])
    #expect(set.boxes["Train/neg/00000002a.jpg"] == [])
    #expect(set.boxes["Test/pos/crop_000001.png"] == [box(262, 109, 117, 376), box(0, 0, 1, 1)])
    let photo = try #require(set.images.first { $0.name == "Test/pos/crop_000001.png" })
    #expect(photo.annotations.map(\.isIgnored) == [false, true])
    #expect(photo.annotations.map(\.label) == ["person", "PAScat"])
    #expect(photo.annotations[0].attributes["original"] == "UprightPerson")
    #expect(set.problems(.unknownLabel).map(\.line) == [9])
    #expect(set.problems(.countMismatch).map(\.line) == [4])
    #expect(Set(set.images.prefix(2).map(\.groupKey)) == ["crop001001"])
    let narrow = try folder.load("inria:\(folder.path)?part=96X160H96/Train/pos,Train/neg&box=person")
    #expect(narrow.images.count == 3)
    #expect(narrow.images[0].annotations[0].box == box(24, 32, 48, 96))
    #expect(throws: InputError.self) { try folder.load("inria:\(folder.path)?part=Train/pos") }
  }

  @Test func pascalAnnotationsCountFromOneUnlessTheySayOtherwise() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("Train/pos/a.png")
    try folder.write(
      """
      # Compatible with PASCAL Annotation Version 1.00
      Objects with ground truth : 1 { "PASpersonWalking" }
      Bounding box for object 1 "PASpersonWalking" (Xmin, Ymin) - (Xmax, Ymax) : (1, 1) - (10, 20)
      """, to: "Train/annotations/a.txt")
    #expect(try folder.load("inria:\(folder.path)").boxes["Train/pos/a.png"] == [box(0, 0, 10, 20)])
  }

  @Test(arguments: [true, false]) func ibugPointsWithAndWithoutHeader(hasHeader: Bool) throws {
    let folder = try TemporaryFolder()
    let points = "1.0 1.0\n11 3\n5 6.5"
    try folder.write(
      hasHeader ? "version: 1\nn_points:  3\n{\n\(points)\n}\n" : points, to: "afw/1051618982_1.pts")
    try folder.writeImage("afw/1051618982_1.jpg")
    try folder.writeImage("lonely.png")
    let set = try folder.load("ibug:\(folder.path)")
    let face = try #require(set.images.first).annotations[0]
    #expect(
      face.landmarks == [
        Landmark(name: "0", point: Point(x: 0.5, y: 0.5)), Landmark(name: "1", point: Point(x: 10.5, y: 2.5)),
        Landmark(name: "2", point: Point(x: 4.5, y: 6)),
      ])
    // Extent 10 x 5.5 about (5.5, 3.25).
    #expect(face.box == box(0.5, -1.75, 10, 10))
    #expect(set.images.map(\.name) == ["afw/1051618982_1.jpg"])
    #expect(set.images[0].group == "afw/1051618982")
    #expect(set.problems.map(\.kind) == [.missingAnnotation])
    let extent = try folder.load("ibug:\(folder.path)?box=extent&scale=2")
    #expect(extent.images[0].annotations[0].box == box(-4.5, -2.25, 20, 11))
  }

  @Test(arguments: ["-1", "1e20", "x", "4", ""]) func ibugCountsThatAreNoneOrOthersAreRefused(count: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("version: 1\nn_points: \(count)\n{\n1 1\n11 3\n5 6.5\n}\n", to: "a.pts")
    try folder.writeImage("a.png")
    let set = try? folder.load("ibug:\(folder.path)")
    #expect(set?.images.allSatisfy(\.annotations.isEmpty) ?? true)
    #expect(set?.problems.contains { $0.severity > .note } ?? true)
  }

  /// Eyes 37 apart and the mouth 37.7 below them, upright and tilted by a quarter: the side is 100 and the eyes lie 16
  /// above the centre.
  @Test func ibugBoxByEyes() throws {
    let folder = try TemporaryFolder()
    for (name, place) in [
      ("upright", { (x: Double, y: Double) in "\(x + 300.5) \(y + 200.5)" }),
      ("tilted", { "\(300.5 - $1) \($0 + 200.5)" }),
    ] as [(String, (Double, Double) -> String)] {
      var points = Array(repeating: place(0, 70), count: 68)
      for index in 36..<42 { points[index] = place(-18.5, 0) }
      for index in 42..<48 { points[index] = place(18.5, 0) }
      points[48] = place(-15, 37.7)
      points[54] = place(15, 37.7)
      try folder.write(points.joined(separator: "\n"), to: "\(name).pts")
      try folder.writeImage("\(name).jpg")
    }
    let set = try folder.load("ibug:\(folder.path)?box=eyes")
    for (name, center) in [("upright.jpg", Point(x: 300, y: 216)), ("tilted.jpg", Point(x: 284, y: 200))] {
      let found = try #require(set.boxes[name]?.first)
      #expect(abs(found.width - 100) < 1e-9 && abs(found.height - 100) < 1e-9)
      #expect(abs(found.center.x - center.x) < 1e-9 && abs(found.center.y - center.y) < 1e-9)
    }
    try folder.write("1 1\n2 2", to: "upright.pts")
    let less = try folder.load("ibug:\(folder.path)?box=eyes")
    #expect(less.problems.map(\.kind) == [.unreadableAnnotation] && less.images.count == 1)
  }

  @Test func ibugGroupsTakeOffTheFaceNumberAlone() {
    #expect(IBUGReader.group(of: "afw/1051618982_1") == "afw/1051618982")
    #expect(IBUGReader.group(of: "lfpw/image_0001") == "lfpw/image_0001")
    #expect(IBUGReader.group(of: "helen/12_1_mirror") == "helen/12")
    #expect(IBUGReader.group(of: "_1") == "_1")
  }

  @Test func imglabBoxesPartsIgnoreAndLabels() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("my photo.png")
    try folder.writeImage("sub/b.png")
    try folder.write(
      """
      <?xml version='1.0' encoding='ISO-8859-1'?>
      <?xml-stylesheet type='text/xsl' href='x.xsl'?>
      <dataset>
      <name>Faces &amp; more</name>
      <images>
        <image file='my photo.png' width='4' height='3'>
          <box top='1' left='2' width='37' height='38' pose='0.5'>
            <label>face</label>
            <part name='00' x='3' y='4'/><part name='01' x='oops' y='4'/>
          </box>
          <box top='1' left='2' width='9' height='9' ignore='1'/>
          <box top='1' left='2' width='nan' height='9'/>
        </image>
        <image file='sub/b.png'/>
        <image file='gone.png'><box top='1' left='2' width='9' height='9'/></image>
      </images>
      </dataset>
      """, to: "faces.xml")
    let set = try folder.load("imglab:\(folder.path)/faces.xml?label=head")
    #expect(set.boxes == ["my photo.png": [box(2, 1, 37, 38), box(2, 1, 9, 9)], "sub/b.png": []])
    let boxes = set.images[0].annotations
    #expect(boxes.map(\.isIgnored) == [false, true])
    #expect(boxes.map(\.label) == ["face", "head"])
    #expect(boxes[0].attributes == ["pose": "0.5"])
    #expect(
      boxes[0].landmarks == [Landmark(name: "00", point: Point(x: 3.5, y: 4.5)), Landmark(name: "01", point: nil)])
    #expect(set.problems(.malformedLine).map(\.line) == [9, 12])
    #expect(set.problems(.missingImage).map(\.line) == [15])
    #expect(try set.image(at: 0).width == 4)
  }

  @Test func imglabPartsThatABoxLacksAreAbsent() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png")
    try folder.write(
      """
      <dataset><images><image file='a.png'>
      <box top='0' left='0' width='3' height='3'><part name='b' x='1' y='1'/><part name='a' x='2' y='2'/></box>
      <box top='0' left='1' width='3' height='3'><part name='c' x='3' y='1'/></box>
      <box top='0' left='2' width='2' height='3'/>
      </image></images></dataset>
      """, to: "faces.xml")
    let set = try folder.load("imglab:\(folder.path)/faces.xml")
    let marks = set.images[0].annotations.map(\.landmarks)
    #expect(marks.map { $0.map(\.name) } == [["b", "a", "c"], ["c", "b", "a"], []])
    #expect(marks[0].map { $0.point?.x } == [1.5, 2.5, nil] && marks[1].map { $0.point?.x } == [3.5, nil, nil])
    #expect(set.problems.map(\.kind) == [.absentLandmarks] && set.problems[0].severity == .warning)
  }

  @Test func vocBoxesDifficultAndParts() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("JPEGImages/a.jpg")
    func object(_ name: String, difficult: Int, _ corners: String) -> String {
      "<object><name>\(name)</name><difficult>\(difficult)</difficult><truncated>1</truncated>\(corners)</object>"
    }
    let part = "<part><name>head</name><bndbox><xmin>9</xmin><ymin>9</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></part>"
    try folder.write(
      "<annotation><filename>a.jpg</filename>\n"
        + object(
          "person", difficult: 0, "<bndbox><xmax>10</xmax><xmin>1</xmin><ymin>2</ymin><ymax>2</ymax></bndbox>\(part)")
        + object("cat", difficult: 1, "<bndbox><xmin>1.5</xmin><ymin>1</ymin><xmax>4</xmax><ymax>4</ymax></bndbox>")
        + object("cow", difficult: 0, "<bndbox><xmin>1</xmin></bndbox>") + "</annotation>", to: "Annotations/a.xml")
    try folder.write("<annotation><object></annotation>", to: "Annotations/broken.xml")
    let set = try folder.load("voc:\(folder.path)")
    #expect(set.boxes == ["a.jpg": [box(0, 1, 10, 1), box(0.5, 0, 3.5, 4)]])
    #expect(set.images[0].annotations.map(\.isIgnored) == [false, true])
    #expect(set.problems.map(\.kind) == [.malformedLine, .unreadableAnnotation])
    let strict = try folder.load("voc:\(folder.path)?truncated=ignore&difficult=keep&labels=cat")
    #expect(strict.images[0].annotations.map(\.isIgnored) == [true, true])
    #expect(strict.problems(.unknownLabel).count == 1)
  }

  @Test func vecSamplesAreReadByTheirOffset() throws {
    let folder = try TemporaryFolder()
    func int32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let samples: [[UInt8]] = [[1, 2, 3, 4], [255, 0, 128, 7], [9, 9, 9, 9]]
    let file = int32(3) + int32(4) + [0, 0, 255, 0] + samples.flatMap { [1] + $0.flatMap { [$0, 0] } }
    try folder.write(file, to: "a.vec")
    let set = try folder.load("vec:\(folder.path)/a.vec?label=face")
    #expect(set.images.map(\.name) == ["a.vec#0", "a.vec#1", "a.vec#2"])
    #expect(set.images[1].annotations == [Annotation(box: box(0, 0, 2, 2), label: "face")])
    for index in [2, 0, 1] { #expect(try set.image(at: index).pixels == samples[index]) }
    #expect(try folder.load("vec:\(folder.path)/a.vec?width=4").size(at: 0) == PixelSize(width: 4, height: 1))
    #expect(throws: InputError.self) { try folder.load("vec:\(folder.path)/a.vec?width=3") }

    try folder.write(Array(file.dropLast(3)), to: "cut.vec")
    let cut = try folder.load("vec:\(folder.path)/cut.vec")
    #expect(cut.images.count == 2)
    #expect(cut.problems.map(\.kind) == [.countMismatch])
    try folder.write(file + [7, 7], to: "long.vec")
    let long = try folder.load("vec:\(folder.path)/long.vec")
    #expect(long.images.count == 3 && long.problems.map(\.kind) == [.countMismatch])
    #expect(long.problems[0].message.contains("2 bytes more"))
    var wrong = file
    wrong[12 + 9 + 2] = 1
    try folder.write(wrong, to: "wrong.vec")
    let bad = try folder.load("vec:\(folder.path)/wrong.vec")
    #expect(throws: InputError.self) { try bad.image(at: 1) }
    #expect(try bad.image(at: 0).pixels == samples[0])
    for header in [int32(-1) + int32(4), int32(3) + int32(-4), int32(3) + int32(0), int32(3) + int32(1 << 30)] {
      try folder.write(header + [0, 0, 0, 0] + Array(repeating: 0, count: 99), to: "h.vec")
      #expect(throws: InputError.self) { try folder.load("vec:\(folder.path)/h.vec") }
    }
  }

  @Test func infoBackgroundAndPlainLists() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "my 2 photos.png", "#c.png"] { try folder.writeImage(name) }
    try folder.write(
      "a.png 2 1 2 3 4 5 6 7 8\nmy 2 photos.png 1 1 1 2 2\na.png 1 1 2 3 4\na.png 3 1 2 3 4\na.png 1 7.5 2 3 4 5\n",
      to: "info.dat")
    let info = try folder.load("info:\(folder.path)/info.dat?label=face")
    #expect(info.boxes == ["a.png": [box(1, 2, 3, 4), box(5, 6, 7, 8)], "my 2 photos.png": [box(1, 1, 2, 2)]])
    #expect(info.problems(.duplicateImage).map(\.line) == [3])
    #expect(info.problems(.duplicateBox).map(\.line) == [3])
    #expect(info.problems(.malformedLine).map(\.line) == [4, 5])

    try folder.write("a.png\n\n#c.png\na.png\nzz.png \n", to: "list.txt")
    let list = try folder.load("list:\(folder.path)/list.txt")
    #expect(list.images.map(\.name) == ["a.png", "#c.png"])
    #expect(list.problems(.duplicateImage).map(\.line) == [4])
    #expect(list.problems(.missingImage).map(\.line) == [5])
    #expect(try folder.load("bg:\(folder.path)/list.txt").images.map(\.name) == ["a.png"])
  }

  @Test func foldersAreReadDeepBytewiseAndByContent() throws {
    let folder = try TemporaryFolder()
    for name in ["b.png", "B.png", "é/x.jpg", "z/y/no-suffix", ".hidden/a.png", ".a.png"] {
      try folder.writeImage(name)
    }
    try folder.write("text", to: "README.md")
    try folder.write("GIF89a", to: "old.gif")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/z/loop", withDestinationPath: folder.path)
    let set = try folder.load("folder:\(folder.path)")
    #expect(set.images.map(\.name) == ["B.png", "b.png", "z/y/no-suffix", "é/x.jpg"])
    #expect(
      set.problems.map(\.kind).sorted { $0.rawValue < $1.rawValue }
        == [.notAnImage, .unreadableFolder, .unsupportedImage])
    // A path is told once.
    for problem in set.problems { #expect(problem.sentence.components(separatedBy: problem.file).count == 2) }
    let split = try folder.load("folder:\(folder.path)?split=\(folder.write("b.png\n", to: "s.lst"))")
    #expect(split.images.map(\.name) == ["b.png"])
  }

  @Test func jsonLinesReadBackWhatIsWritten() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png")
    try folder.write(
      """
      {"path": "a.png", "annotations": [{"box": [1, 2, 3, 4], "label": "face"}]}
      {"path": "a.png", "annotations": [{"box": [1, 2, 3], "label": "face"}]}
      {"box": 1}
      """, to: "a.jsonl")
    let set = try folder.load("jsonl:\(folder.path)/a.jsonl")
    #expect(set.boxes == ["a.png": [box(1, 2, 3, 4)]])
    #expect(set.problems.map(\.line) == [2, 3])
    try folder.write(try set.jsonLines(), to: "b.jsonl")
    let again = try folder.load("jsonl:\(folder.path)/b.jsonl")
    #expect(again.images == set.images)
    #expect(try again.annotationChecksum() == set.annotationChecksum())
  }

  @Test func unknownKeysAreToldOnceEach() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png")
    try folder.writeImage("b.png")
    try folder.write(
      """
      {"path": "a.png", "annotation": [], "annotations": [{"box": [1, 2, 3, 4], "label": "face", "ignored": true}]}
      {"path": "b.png", "annotation": [], "annotations": [{"box": [1, 2, 3, 4], "label": "face", "ignored": true}]}
      """, to: "a.jsonl")
    let set = try folder.load("jsonl:\(folder.path)/a.jsonl")
    #expect(set.images.count == 2)
    #expect(set.problems(.unknownKey).map(\.line) == [1, 1])
    #expect(set.problems(.unknownKey).allSatisfy { $0.severity == .warning })
    let told = set.problems(.unknownKey).map(\.message)
    #expect(told[0].contains("annotation") && told[1].contains("annotations.ignored"))
  }

  @Test("A list of images with objects is no list of backgrounds: an error with its line", arguments: ["list", "bg"])
  func annotatedList(_ format: String) throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b c.png", "d 1.png"] { try folder.writeImage(name) }
    for (text, line) in [
      ("a.png 1 0 0 3 2\n", 1), ("a.png\nb c.png 2 0 0 3 2 1 1 1 1 \r\n", 2), ("d 1.png\na.png 0\n", 2),
    ] {
      let file = try folder.write(text, to: "list.txt")
      let error = try #require(throws: InputError.self) { try folder.load("\(format):\(file)") }
      #expect(error.line == line && error.problem == "names an image with objects")
      #expect(error.hint?.contains("info:\(file)") ?? false)
    }
    // Files whose names look so are there.
    try folder.writeImage("a.png 0")
    let file = try folder.write("d 1.png\na.png 0\n", to: "list.txt")
    #expect(try folder.load("\(format):\(file)").images.map(\.name) == ["d 1.png", "a.png 0"])
  }

  @Test("Another suffix is tried in the place of an image's suffix, or behind a name without one")
  func otherSuffixes() throws {
    let folder = try TemporaryFolder()
    for name in ["a.png", "b.v2.png"] { try folder.writeImage(name) }
    let file = try folder.write("a.JPG\na\nb.v2\na.v2\na.png 3 4\n", to: "list.txt")
    let set = try folder.load("list:\(file)")
    #expect(set.images.map(\.name) == ["a.JPG", "a", "b.v2"])
    #expect(set.problems(.missingImage).map(\.line) == [4, 5])
  }

  @Test func jsonLinesThatNobodyCanReadOneWayAreReported() throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.png")
    try folder.write(
      """
      {"path": "a.png", "annotations": [{"box": [1, 2, 3, 4], "label": "f"}]}
      {"path": "a.png", "path": "b.png"}
      {"path": "a.png", "annotations": [{"box": [1, 2, 3, 4], "label": "f", "label": "g"}]}
      {"path": "a.png",}

      {"path": "a.png"
      """, to: "a.jsonl")
    let set = try folder.load("jsonl:\(folder.path)/a.jsonl")
    #expect(set.problems(.malformedLine).map(\.line) == [2, 3, 4, 6])
    #expect(set.problems(.malformedLine)[1].message.contains("annotations[0].label: is there twice"))
    #expect(set.boxes == ["a.png": [box(1, 2, 3, 4)]])
  }
}
