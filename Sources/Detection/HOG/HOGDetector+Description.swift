import Execution
import Features
import Geometry
import Imaging

extension HOGDetector: ObjectDetector {
  public var isCalibrated: Bool { components.allSatisfy { $0.calibration != nil } }

  public var summary: [String] {
    let parts = components.map { component in
      let window = component.windowSize
      let object = component.objectSize
      return "component \(component.name): finds \(component.label), window \(window.width) x \(window.height), object "
        + "\(Int(object.width.rounded())) x \(Int(object.height.rounded())) pixels, \(component.weights.count) weights, "
        + (component.calibration == nil ? "not calibrated" : "calibrated")
    }
    return ["features: \(features.summary)", "colour: \(colour.rawValue)"] + parts + [scanOptions.summary]
  }

  /// Each component's filter: the edges it looks for on the left, those it looks away from on the right.
  public var pictures: [ContactSheet.Cell] {
    let drawing = HOGPicture(features)
    return components.map { component in
      ContactSheet.Cell(
        image: drawing.picture(
          ofFilter: component.weights, size: MapSize(rows: component.rows, columns: component.columns)),
        caption: "\(component.label), \(component.name)")
    }
  }
}

extension HOGDetector: WindowScorer {
  public func score(of object: Box, in image: ByteImage) -> Double { score(of: object, in: image, mapping: .height) }

  public func windowScores(
    in image: ByteImage, scoringAtLeast floor: Double, options: ScanOptions?, executor: ParallelExecutor
  ) -> (scores: [Double], scannedCount: Int) {
    let scan = windows(in: image, scoringAtLeast: floor, options: options, executor: executor)
    return (scan.windows.map(\.score), scan.scannedCount)
  }
}
