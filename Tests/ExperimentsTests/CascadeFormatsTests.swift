import Detection
import Execution
import Features
import Foundation
import Geometry
import Imaging
import Interchange
import Learning
import ModelFiles
import Testing

@testable import Experiments

/// Cascades of both formats, told by their content and turned into each other.
struct CascadeFormatsTests {
  private let folder = NSTemporaryDirectory() + "windhover-cascade-formats-\(UUID().uuidString)"

  private var cascade: CascadeDetector {
    CascadeDetector(
      windowSize: PixelSize(width: 8, height: 8),
      features: .haar([
        HaarFeature(boxes: [
          .init(x: 0, y: 0, width: 8, height: 8, weight: -1), .init(x: 4, y: 0, width: 4, height: 8, weight: 2),
        ]),
        HaarFeature(
          boxes: [
            .init(x: 4, y: 0, width: 2, height: 2, weight: -1), .init(x: 5, y: 1, width: 1, height: 2, weight: 2),
          ],
          isTilted: true),
      ]),
      stages: [
        CascadeStage(
          trees: (0..<2).map { feature in
            DecisionTree(
              nodes: [.init(feature: feature, split: .below(0.25), left: .leaf(0), right: .leaf(1))],
              leaves: [-1, 0.5])
          }, threshold: 0.25)
      ], label: "edge")
  }

  @Test func cascadesAreExportedBothWays() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let native = "\(folder)/native.bin"
    let xml = "\(folder)/cascade.xml"
    let again = "\(folder)/again.safetensors"
    let made = Provenance(command: "train it", dataSets: [], seed: 4)
    try cascade.modelFile(provenance: made, training: ["depth": 2]).write(to: native)
    let model = try ModelCatalog.model(native)
    #expect(model.description.hasPrefix("cascade, version 1\n  finds edge, window 8 x 8 pixels\n"))
    #expect(try #require(try model.picture()).width > 0)
    #expect { try model.export(to: xml, label: "edge", source: native, command: "lose it") } throws: {
      "\($0)".contains("holds no label")
    }
    try model.export(to: xml, label: nil, source: native, command: "export it")
    let foreign = try ModelCatalog.model(xml)
    #expect(foreign.format == "OpenCV cascade" && foreign.file == nil)
    #expect(try ModelCatalog.detector(xml).labels == ["object"])
    #expect(try ModelCatalog.detector(xml).scanOptions == .openCVCascade)
    try foreign.export(to: again, label: "edge", source: xml, command: "export it back")
    let back = try CascadeDetector(modelFile: ModelFile(path: again))
    #expect(back.features == cascade.features && back.label == "edge" && back.stages == cascade.stages)
    #expect(try ModelFile(path: again).provenance.command == "export it back")
    // A model of ours keeps where it comes from and what it was trained by.
    try model.export(to: again, label: "corner", source: native, command: "name it anew")
    let named = try ModelFile(path: again)
    #expect(named.provenance == made)
    #expect(try CascadeDetector.trainingOptions(of: named, as: [String: Int].self) == ["depth": 2])
    #expect(try CascadeDetector(modelFile: named).label == "corner")
  }

  @Test func whatIsNoCascadeIsNotExported() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let vector = "\(folder)/vector.txt"
    try Array(repeating: "0.5", count: 3781).joined(separator: "\n").write(
      toFile: vector, atomically: true, encoding: .utf8)
    let model = try ModelCatalog.model(vector)
    #expect(throws: InputError.self) {
      try model.export(to: "\(folder)/a.xml", label: nil, source: vector, command: "export it")
    }
    let annotation = "\(folder)/voc.xml"
    try "<annotation><folder>a</folder></annotation>".write(toFile: annotation, atomically: true, encoding: .utf8)
    #expect(throws: InputError.self) { try ModelCatalog.detector(annotation) }
  }
}
