import Execution
import Foundation
import Testing

@testable import DatasetReaders

struct DatasetReferenceTests {
  @Test func bothFormsAndTheirSettings() throws {
    #expect(try DatasetReference.parse("wider/train").source == .manifest(name: "wider", split: "train"))
    let odd = try DatasetReference.parse("imglab:C:/my faces/a?b.xml?label=face&keep=1/5")
    #expect(odd.source == .files(format: .imglab, path: "C:/my faces/a?b.xml"))
    #expect(odd.options == ["label": "face", "keep": "1/5"])
    #expect(try DatasetReference.parse("folder:é/日本").source == .files(format: .folder, path: "é/日本"))
    // Not all pieces are settings, so all of it is the path.
    #expect(try DatasetReference.parse("list:a?what").source == .files(format: .list, path: "a?what"))
    #expect(try DatasetReference.parse("list:a?b=c?").source == .files(format: .list, path: "a?b=c"))
  }

  @Test(arguments: ["wider/train", "wider/train?keep=1/5", "vec:a b.vec?label=x&width=20", "list:a?b=c?", "folder:/"])
  func theTextFormReadsBack(text: String) throws {
    let reference = try DatasetReference.parse(text)
    #expect(reference.description == text)
    let data = try JSONEncoder().encode([reference])
    #expect(try JSONDecoder().decode([DatasetReference].self, from: data) == [reference])
  }

  @Test(arguments: [
    "", "wider", "wider/", "/train", "a/b/c", "../x", ".hidden/x", "coco:x", "folder:", ":x", "wider/train?widht=3",
    "folder:x?width=24", "wi der/train",
  ])
  func whatNamesNothingThrows(text: String) {
    #expect(throws: InputError.self) { try DatasetReference.parse(text) }
  }

  @Test(arguments: ["0/5", "6/5", "1/1", "1", "a/b", "1/5/2", "-1/5", ""])
  func aPartThatIsNoneThrows(value: String) throws {
    let folder = try TemporaryFolder()
    try folder.writeImage("a.pgm")
    #expect(throws: InputError.self) { try folder.load("folder:\(folder.path)?keep=\(value)") }
  }

  @Test func partsCoverTheSetOnceAndKeepPhotosTogether() throws {
    let folder = try TemporaryFolder()
    for photo in 0..<20 {
      for letter in ["a", "b"] { try folder.writeImage("96X160H96/Train/pos/crop\(100 + photo)\(letter).pgm") }
    }
    let whole = try folder.load("inria:\(folder.path)")
    var seen: [String] = []
    var partOfGroup: [String: Int] = [:]
    for part in 1...3 {
      let set = try folder.load("inria:\(folder.path)?keep=\(part)/3")
      let rest = try folder.load("inria:\(folder.path)?leave=\(part)/3")
      #expect(set.images.count + rest.images.count == whole.images.count)
      seen += set.images.map(\.name)
      for image in set.images {
        #expect(partOfGroup.updateValue(part, forKey: image.groupKey) ?? part == part)
      }
    }
    #expect(seen.sorted() == whole.images.map(\.name).sorted())
    #expect(partOfGroup.count == 20)
    // What else is in the set does not bear on the part of an image.
    let few = try folder.load(
      "inria:\(folder.path)?keep=1/3&exclude=\(folder.write("96X160H96/Train/pos/crop100a\n", to: "x"))")
    #expect(
      Set(few.images.map(\.name)).isSubset(of: try folder.load("inria:\(folder.path)?keep=1/3").images.map(\.name)))
  }
}
