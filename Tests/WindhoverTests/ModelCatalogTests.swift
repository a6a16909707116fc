import Testing
import Windhover

struct ModelCatalogTests {
  @Test func anUnknownModelIsNamedWithWhatThereIs() {
    #expect { try ModelCatalog.path(of: "no-such-model") } throws: { error in
      "\(error)".contains("no-such-model")
        && "\(error)".contains("face, face-haar, face-lbp, face-lbp-fast, landmarks, person")
    }
  }

  @Test(arguments: ["face", "person"]) func shippedDetectorsAreCalibratedAndKnowTheirOrigin(name: String) throws {
    let file = try ModelFile(path: ModelCatalog.path(of: name))
    let detector = try HOGDetector(modelFile: file)
    #expect(detector.labels == [name])
    #expect(detector.components.allSatisfy { $0.calibration != nil })
    #expect(!file.provenance.dataSets.isEmpty)
    #expect(file.provenance.dataSets.allSatisfy { !$0.name.contains("test") && $0.checksum?.count == 64 })
    #expect(!file.provenance.command.contains("/work/") && !file.provenance.command.contains("/tmp/"))
  }

  @Test(arguments: ["face", "person"]) func shippedDetectorsFindNothingInPlainPictures(name: String) throws {
    let detector = try ModelCatalog.detector(name)
    for size in [(1, 1), (7, 300), (200, 150)] {
      let plain = ByteImage(width: size.0, height: size.1, channelCount: 3, filledWith: 128)
      #expect(detector.detect(in: plain).isEmpty)
    }
  }
}
