import DatasetReaders
import Execution
import Foundation
import Geometry
import Imaging
import Landmarks
import ModelFiles
import TestSupport
import Testing

@testable import Experiments

/// Faces whose points all lie at one spot have no size: they are told and left out, or end the training before it begins.
@Suite("Faces of one spot")
struct LandmarkSpotTests {
  /// `faces.xml` with the given points for each face, and a picture for each.
  private static func write(_ faces: [[Point?]], to folder: SpotFolder) throws -> Dataset {
    var random = RandomStream(seed: 5)
    var text = "<dataset><images>\n"
    for (index, points) in faces.enumerated() {
      var image = ByteImage(width: 48, height: 48, channelCount: 1, filledWith: 0)
      for k in image.pixels.indices { image.pixels[k] = UInt8(random.index(below: 256)) }
      try ImageFile.write(image, to: "\(folder.path)/\(index).png")
      text += "<image file='\(index).png'><box left='8' top='8' width='32' height='32'>"
      for (k, point) in points.enumerated() {
        if let point { text += "<part name='\(k)' x='\(point.x)' y='\(point.y)'/>" }
      }
      text += "</box></image>\n"
    }
    try AtomicFile.write(text + "</images></dataset>\n", to: folder.path + "/faces.xml")
    return try folder.dataset()
  }

  private static var face: ShapePredictorOptions {
    var options = ShapePredictorOptions.face
    options.oversampling = 1
    return options
  }

  @Test("a set of nothing else is refused before training, for all presets, by file, line and face")
  func nothingElse() throws {
    for count in [2, 68] {
      let folder = try SpotFolder()
      let dataset = try Self.write(
        Array(repeating: Array(repeating: Point(x: 20, y: 21), count: count), count: 30), to: folder)
      for options in [Self.face, SmallTraining.options] {
        let notes = RecordedProgress()
        let error = SmallTraining.error {
          try SmallTraining.run(
            LandmarkTrainingJob(training: dataset, boxes: .annotated, options: options),
            checkpoint: folder.path + "/checkpoint", progress: notes)
        }
        #expect(error?.problem.contains("all points of a face lie at one spot") == true, "\(error as Any)")
        #expect(error?.source.hasSuffix("faces.xml:2") == true && error?.field == "0.png", "\(error as Any)")
        #expect(error?.found == "\(count) points at (20.5, 21.5), and 29 more such faces; no other face is there")
        #expect(error?.hint != nil)
        #expect(!notes.told.contains("level "), "\(notes.told)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/checkpoint"))
      }
      // Nothing can be measured on them either.
      #expect(throws: InputError.self) {
        try LandmarkFaceSet.load(dataset, boxes: .annotated, largestBox: nil, margin: nil, executor: .serial)
      }
    }
  }

  @Test("some among others are left out and told in one line; the others train a model that is read again")
  func amongOthers() throws {
    let folder = try SpotFolder()
    var random = RandomStream(seed: 8)
    let faces = (0..<30).map { index -> [Point?] in
      (0..<4).map { k -> Point? in
        if index % 3 == 1 { return Point(x: 20, y: 20) }
        let (x, y): (Int, Int) = (14 + 12 * (k % 2), 14 + 6 * k)
        return Point(x: Double(x + random.index(below: 3)), y: Double(y + random.index(below: 3)))
      }
    }
    let dataset = try Self.write(faces, to: folder)
    for options in [Self.face, SmallTraining.options] {
      let notes = RecordedProgress()
      let model = try SmallTraining.run(
        LandmarkTrainingJob(training: dataset, boxes: .annotated, options: options), progress: notes)
      #expect(
        notes.told.contains("10 faces left out, for all points of each lie at one spot: the first is 1.png, 4 points"))
      #expect(model.provenance.dataSets[0].description == "20 faces with 4 points")
      try model.write(to: folder.path + "/model.safetensors")
      _ = try LandmarkModel(path: folder.path + "/model.safetensors")
    }
  }

  @Test("a single point, labelled alone or of a layout of one, is no such face")
  func singlePoints() throws {
    let one = try SpotFolder()
    let points = (0..<24).map { index -> [Point?] in
      let (x, y): (Int, Int) = (18 + index % 5, 20 + index % 3)
      return [Point(x: Double(x), y: Double(y))]
    }
    for var options in [Self.face, SmallTraining.options] {
      options.poolPadding = 0.2
      let model = try SmallTraining.run(
        LandmarkTrainingJob(
          training: try Self.write(points, to: one), boxes: .annotated, options: options))
      let read = try LandmarkModel(ModelFile(bytes: try model.modelFile().bytes(), name: "test"))
      #expect(read.predictor.pointCount == 1)
    }
    #expect(LandmarkFace.spot([nil, Point(x: 3, y: 4), nil], box: Box(x: 0, y: 0, width: 9, height: 9)) == nil)
    #expect(LandmarkFace.spot([], box: Box(x: 0, y: 0, width: 9, height: 9)) == nil)
  }

  @Test("points count as one spot within a thousandth of the box's longer side")
  func limit() {
    let box = Box(x: 10, y: 10, width: 50, height: 200)
    func spot(_ reach: Double) -> Point? {
      LandmarkFace.spot([Point(x: 20, y: 30), nil, Point(x: 20, y: 30 + reach), Point(x: 20 - reach, y: 30)], box: box)
    }
    #expect(spot(0.2) == Point(x: 19.9, y: 30.1))
    #expect(spot(0) == Point(x: 20, y: 30))
    #expect(spot(0.2001) == nil)
  }

  @Test("faces that have a size each, but cancel out, have no mean shape to be aligned by")
  func cancelling() throws {
    let folder = try SpotFolder()
    let faces = (0..<24).map { index -> [Point?] in
      let (a, b) = (Point(x: 14, y: 14), Point(x: 33, y: 33))
      return index % 2 == 0 ? [a, b] : [b, a]
    }
    let dataset = try Self.write(faces, to: folder)
    for options in [Self.face, SmallTraining.options] {
      let error = SmallTraining.error {
        try SmallTraining.run(LandmarkTrainingJob(training: dataset, boxes: .annotated, options: options))
      }
      #expect(error?.problem.contains("mean shape that is one spot") == true, "\(error as Any)")
    }
  }

  @Test("where faces of one spot and a point far away are all that there is, both are told")
  func mixed() throws {
    let folder = try SpotFolder()
    let dataset = try Self.write(
      [[Point(x: 20, y: 20), Point(x: 20, y: 20)], [Point(x: 2000, y: 20), Point(x: 20, y: 20)]], to: folder)
    let error = #expect(throws: InputError.self) {
      try LandmarkFaceSet.load(dataset, boxes: .annotated, largestBox: nil, margin: nil, executor: .serial)
    }
    #expect(error?.problem == "has no face that can be used")
    #expect(error?.found?.contains("1.png: left out") == true && error?.found?.contains("one spot: 0.png") == true)
  }
}
