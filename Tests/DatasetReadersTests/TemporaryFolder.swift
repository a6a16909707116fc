import Execution
import Foundation
import Geometry
import Imaging
import Testing

@testable import DatasetReaders

/// A folder of files made for one test, removed when the test lets go of it.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "windhover-readers-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = "\(path)/\(name)"
    try AtomicFile.write(Data(bytes), to: file)
    return file
  }

  /// A grey image as plain PGM text: readable whatever its suffix says.
  @discardableResult
  func writeImage(_ name: String, width: Int = 4, height: Int = 3) throws -> String {
    let values = (0..<width * height).map { String($0 % 256) }.joined(separator: " ")
    return try write("P2\n\(width) \(height)\n255\n\(values)\n", to: name)
  }

  func load(_ reference: String) throws -> Dataset {
    try Dataset.load(DatasetReference.parse(reference), catalog: ManifestCatalog(manifestFolders: [], dataFolders: []))
  }
}

extension Dataset {
  var boxes: [String: [Box]] {
    Dictionary(uniqueKeysWithValues: images.map { ($0.name, $0.annotations.map(\.box)) })
  }

  func problems(_ kind: DatasetProblem.Kind) -> [DatasetProblem] { problems.filter { $0.kind == kind } }
}

func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Box {
  Box(x: x, y: y, width: width, height: height)
}
