import Execution
import Geometry
import Testing

@testable import DatasetReaders

struct WiderFaceReaderTests {
  static func folder(_ text: String, images: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "wider_face_split/wider_face_train_bbx_gt.txt")
    for image in images { try folder.writeImage("WIDER_train/images/\(image)") }
    return folder
  }

  @Test func facesAttributesAndTheImageWithoutFaces() throws {
    let folder = try Self.folder(
      """
      0--Parade/a.jpg
      2
      10 20 30 40 1 0 0 0 2 1\u{20}
      5 6 7 8 0 0 0 1 0 0\u{20}
      1--Riot/none.jpg
      0
      0 0 0 0 0 0 0 0 0 0\u{20}
      1--Riot/b.jpg
      1
      1 2 3 4 0 0 0 0 0 0
      """, images: ["0--Parade/a.jpg", "1--Riot/none.jpg", "1--Riot/b.jpg"])
    let set = try folder.load("wider:\(folder.path)")
    #expect(set.problems.isEmpty, "\(set.problems)")
    #expect(set.images.map(\.name) == ["0--Parade/a.jpg", "1--Riot/none.jpg", "1--Riot/b.jpg"])
    #expect(set.boxes["0--Parade/a.jpg"] == [box(10, 20, 30, 40), box(5, 6, 7, 8)])
    #expect(set.images[1].annotations.isEmpty)
    let first = set.images[0].annotations[0]
    #expect(
      first.attributes == [
        "blur": "1", "expression": "0", "illumination": "0", "invalid": "0", "occlusion": "2", "pose": "1",
      ])
    #expect(set.labels == ["face"])
    #expect(try set.image(at: 1).width == 4)
    #expect(try set.size(at: 2) == PixelSize(width: 4, height: 3))
  }

  @Test func faultsAreToldWithFileAndLineAndNothingElseIsLost() throws {
    let folder = try Self.folder(
      """
      a.jpg
      5
      1 2 0 4 0 0 0 0 0 0
      1 2 3 -4 0 0 0 0 0 0
      1 2 3 4 0 0 0 0 0 0
      1 2 3 4 0 0 0 0 0 0
      1 2 nan 4 0 0 0 0 0 0
      missing.jpg
      1
      1 2 3 4 0 0 0 0 0 0
      b.jpg
      3
      5 5 5 5
      c.jpg
      1
      0 0 0 0 0 0 0 0 0 0
      """, images: ["a.jpg", "b.jpg", "c.jpg"])
    let set = try folder.load("wider:\(folder.path)")
    let file = "\(folder.path)/wider_face_split/wider_face_train_bbx_gt.txt"
    #expect(set.problems.allSatisfy { $0.file == file })
    // A line of zeros stands for no face only where none is announced.
    #expect(set.problems(.emptyBox).map(\.line) == [3, 16])
    #expect(set.problems(.negativeSize).map(\.line) == [4])
    #expect(set.problems(.duplicateBox).map(\.line) == [6])
    #expect(set.problems(.malformedLine).map(\.line) == [7])
    #expect(set.problems(.missingImage).map(\.line) == [8])
    #expect(set.problems(.countMismatch).map(\.line) == [12])
    #expect(set.problems.count == 7)
    #expect(set.boxes == ["a.jpg": [box(1, 2, 3, 4)], "b.jpg": [box(5, 5, 5, 5)], "c.jpg": []])
  }

  @Test func namesWithSpacesAndTrailingSpacesAndCarriageReturnsAndByteOrderMark() throws {
    let folder = try Self.folder("\u{FEFF}my photo.jpg \r\n1\r\n1 2 3 4 0 0 0 0 0 0 ", images: ["my photo.jpg"])
    let set = try folder.load("wider:\(folder.path)")
    #expect(set.boxes == ["my photo.jpg": [box(1, 2, 3, 4)]])
    #expect(Set(set.problems.map(\.kind)) == [.byteOrderMark, .carriageReturn, .trailingSpace])
    #expect(set.problems(.trailingSpace).map(\.line) == [1])
  }

  @Test(arguments: ["", "\n\n", "1 2 3 4\n", "a.jpg\n", "a.jpg\nmany\n", "a.jpg\n-1\n", "a.jpg\n1.5\n"])
  func aFileThatIsNoneThrows(text: String) throws {
    let folder = try Self.folder(text, images: ["a.jpg"])
    #expect(throws: InputError.self) { try folder.load("wider:\(folder.path)") }
  }

  @Test func aSplitListTakesItsNamesAndTellsUnknownOnes() throws {
    let folder = try Self.folder(
      "a.jpg\n1\n1 2 3 4\nb.jpg\n1\n1 2 0 4\nc.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n", images: ["a.jpg", "c.jpg"])
    try folder.write("c.jpg\r\nzebra.jpg\r\na\r\n", to: "split.txt")
    let set = try folder.load("wider:\(folder.path)?split=\(folder.path)/split.txt")
    #expect(set.images.map(\.name) == ["a.jpg", "c.jpg"])
    #expect(set.problems.map(\.kind) == [.carriageReturn, .unknownName])
    #expect(set.problems(.unknownName).map(\.line) == [2])
  }
}
