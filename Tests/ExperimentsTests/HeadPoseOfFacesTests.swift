import DatasetReaders
import Foundation
import Geometry
import Landmarks
import Testing

/// The limits below which points have no pose leave every real face its own.
struct HeadPoseOfFacesTests {
  private static let names = ["300w/train", "300w/validation"]
  private static var isThere: Bool {
    names.allSatisfy { name in (try? Dataset.load(DatasetReference.parse(name))) != nil }
  }

  @Test(.enabled(if: isThere, "DATASETS_DIR holds 300w")) func everyLabelledFaceHasAPose() throws {
    var count = 0
    for name in Self.names {
      for image in try Dataset.load(DatasetReference.parse(name)).images {
        for face in image.annotations where face.landmarks.count == 68 {
          let points = face.landmarks.sorted { Int($0.name) ?? 0 < Int($1.name) ?? 0 }.map(\.point)
          let pose = try #require(HeadPose.estimate(points), "\(image.name)")
          #expect(abs(pose.yaw) < 80 && abs(pose.pitch) < 60 && pose.residual < 0.25, "\(image.name): \(pose)")
          count += 1
          // Half of them seen: the left or the right of the middle, or every other point.
          let mirror = LandmarkLayout.ibug68.mirror
          #expect(HeadPose.estimate(points.enumerated().map { $0 <= mirror[$0] ? $1 : nil }) != nil, "\(image.name)")
          #expect(HeadPose.estimate(points.enumerated().map { $0 % 2 == 0 ? $1 : nil }) != nil, "\(image.name)")
        }
      }
    }
    #expect(count > 2000)
  }
}
