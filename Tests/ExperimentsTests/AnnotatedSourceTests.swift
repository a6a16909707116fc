import Execution
import Experiments
import Foundation
import Geometry
import Testing

struct AnnotatedSourceTests {
  private func decode(_ text: String) throws -> AnnotatedSource {
    try StrictJSON.decode(AnnotatedSource.self, from: Data(text.utf8), source: "config.json")
  }

  @Test func aReferenceAloneAndAnObjectAreRead() throws {
    #expect(try decode(#""wider/train""#).data.description == "wider/train")
    #expect(try decode(#"{"data": "wider/train"}"#).data.description == "wider/train")
    let full = try decode(#"{"data": "voc:photos", "targets": "height>=20", "limit": 3, "box": {"scaleX": 0.5}}"#)
    #expect(full.targets == "height>=20")
    #expect(full.limit == 3)
    #expect(full.box == BoxAdjustment(scaleX: 0.5))
  }

  @Test func settingsAreToldInWords() throws {
    #expect(try decode(#""voc:photos""#).settings == "")
    let full = try decode(
      #"{"data": "voc:photos", "targets": "height>=20", "limit": 3, "box": {"scaleX": 0.5}, "copies": 2, "mines": false}"#
    )
    #expect(
      full.settings
        == "targets height>=20, boxes shifted by 0.0, 0.0 and scaled by 0.5, 1.0, at most 3 images, spread over the set, "
        + "copies 2, not mined")
  }

  @Test(arguments: [
    (#""nonsense""#, "nonsense"),
    (#"{"data": "voc:photos", "targets": "height>>2"}"#, "height>>2"),
    (#"{"data": "voc:photos", "limit": 0}"#, "limit"),
    (#"{"data": "voc:photos", "box": {"scaleX": 0}}"#, "scaleX"),
    (#"{"data": "voc:photos", "box": {"scale": 1}}"#, "box.scale"),
    (#"{"targets": "height>=20"}"#, "data"),
    (#"{"data": "voc:photos", "lim": 2}"#, "lim"),
    (#"{"data": "voc:photos", "limit": 1.5}"#, "whole numbers"),
  ])
  func faultsAreNamed(text: String, part: String) {
    #expect { try decode(text) } throws: { error in
      error is InputError && "\(error)".hasPrefix("config.json") && "\(error)".contains(part)
    }
  }

  @Test func boxesAreShiftedByTheirOwnSizeAndScaledAboutTheNewCentre() {
    let adjusted = BoxAdjustment(offsetX: 0.5, offsetY: -0.25, scaleX: 2, scaleY: 0.5)
      .apply(Box(x: 10, y: 20, width: 4, height: 8))
    #expect(adjusted == Box(x: 10, y: 20, width: 8, height: 4))
  }
}
