import Detection
import Execution
import Foundation
import Geometry
import Imaging
import Interchange
import ModelFiles
import TestSupport
import Testing

@testable import Detection

/// Against cv2 itself, with the cascades of the package opencv-data, where both are installed.
struct OpenCVCascadePeerTests {
  /// All cascades below /usr/share/opencv4.
  static let cascades: [String] = {
    let folder = "/usr/share/opencv4"
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".xml") }.sorted().map { "\(folder)/\($0)" }
  }()

  static let hasPeer = (try? run(["-c", "import cv2; cv2.CascadeClassifier"], input: Data())) != nil

  private struct PeerFailed: Error {}

  private static func run(_ arguments: [String], input: Data) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: input)
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw PeerFailed() }
    return output
  }

  private struct Request: Encodable {
    var cascades: [String]
    var images: [String]
    var parameters: [[Double]]
  }

  private struct Answer: Decodable {
    var version: String
    var found: [[[Double]]]
  }

  /// Photos of public sets where DATASETS_DIR has them, drawn pictures else; at most 240 pixels a side.
  private func pictures() throws -> [ByteImage] {
    let folder = ProcessInfo.processInfo.environment["DATASETS_DIR"] ?? ""
    let lists = [
      "wider/WIDER_train/images/12--Group", "inria/96X160H96/Train/pos", "wider/WIDER_train/images/0--Parade",
    ]
    let photos: [ByteImage] = try lists.compactMap { list in
      let path = "\(folder)/\(list)"
      guard let name = try? FileManager.default.contentsOfDirectory(atPath: path).sorted().first else { return nil }
      let image = try ImageFile.read("\(path)/\(name)").image.grey()
      let scale = min(1, 240 / Double(max(image.width, image.height)))
      return image.resizedAsOpenCV(
        to: PixelSize(width: Int(Double(image.width) * scale), height: Int(Double(image.height) * scale)))
    }
    return photos.isEmpty
      ? (1...3).map { CascadeOracle.picture(seed: $0, width: 200, height: 150) } : photos
  }

  /// Every cascade as it is, and as we write it; the shipped ones as we write them.
  @Test(
    .enabled(if: hasPeer, "needs python3 with opencv-python-headless 4"),
    .enabled(if: !cascades.isEmpty, "needs the package opencv-data"))
  func findsTheRectanglesOfOpenCV() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "windhover-cascades-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let images = try pictures()
    var request = Request(
      cascades: [], images: [],
      parameters: [
        [1.1, 3, 0, 0, 0, 0], [1.1, 0, 40, 40, 0, 0], [1.3, 1, 30, 30, 100, 100], [1.05, 2, 50, 50, 50, 50],
      ])
    for (index, image) in images.enumerated() {
      request.images.append(folder.appending(path: "\(index).png").path)
      try ImageFile.write(image, to: request.images[index])
    }
    var detectors: [CascadeDetector] = []
    for (index, path) in OpenCVCascadePeerTests.cascades.enumerated() {
      let detector = try OpenCVCascade.read(path)
      let copy = folder.appending(path: "\(index).xml").path
      try OpenCVCascade.write(detector, to: copy)
      request.cascades += [path, copy]
      detectors += [detector, detector]
    }
    for name in ["face-haar", "face-lbp", "face-lbp-fast"] {
      let model = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/Windhover/Models/\(name).safetensors")
      detectors.append(try CascadeDetector(modelFile: ModelFile(path: model.path)))
      request.cascades.append(folder.appending(path: "\(name).xml").path)
      try OpenCVCascade.write(detectors[detectors.count - 1], to: request.cascades[request.cascades.count - 1])
    }
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/Interchange/opencv_cascade_peer.py")
    let answer = try JSONDecoder().decode(
      Answer.self, from: Self.run([script.path], input: JSONEncoder().encode(request)))
    #expect(answer.found.count == detectors.count * images.count * request.parameters.count)
    var index = 0
    var total = 0
    for (number, detector) in detectors.enumerated() {
      for (picture, image) in images.enumerated() {
        for values in request.parameters {
          let found = detector.detectMultiScale(
            in: image, scaleFactor: values[0], neighbours: Int(values[1]),
            smallest: PixelSize(width: Int(values[2]), height: Int(values[3])),
            largest: PixelSize(width: Int(values[4]), height: Int(values[5]))
          ).map { [$0.box.x, $0.box.y, $0.box.width, $0.box.height] }.sorted { $0.lexicographicallyPrecedes($1) }
          #expect(
            found == answer.found[index],
            "\(request.cascades[number]), picture \(picture), \(values), cv2 \(answer.version)")
          total += found.count
          index += 1
        }
      }
    }
    #expect(total > 0)
  }
}
