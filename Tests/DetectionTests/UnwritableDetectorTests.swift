import Execution
import Features
import Geometry
import ModelFiles
import Testing

@testable import Detection

/// What our reader would refuse is never written.
struct UnwritableDetectorTests {
  private func detector(weight: Float = 0.1, bias: Float = 0) -> HOGDetector {
    let features = HOGFeatures.felzenszwalb(FelzenszwalbHOG(cellSize: 8))
    let window = PixelSize(width: 32, height: 32)
    let size = features.windowMapSize(window)
    let count = size.rows * size.columns * features.channelCount
    return HOGDetector(
      features: features, colour: .grey,
      components: [
        HOGComponent(
          label: "cup", windowSize: window, objectRegion: Box(x: 0, y: 0, width: 1, height: 1), rows: size.rows,
          columns: size.columns, channelCount: features.channelCount,
          weights: [Float](repeating: weight, count: count), bias: bias)
      ])
  }

  private func error(_ detector: HOGDetector) -> InputError? {
    do {
      _ = try detector.modelFile(provenance: Provenance(command: "test", dataSets: [], seed: 1))
      return nil
    } catch { return error as? InputError }
  }

  @Test func scoresThatWouldNotBeFiniteAreTold() {
    #expect(error(detector()) == nil)
    #expect(error(detector(bias: -3e38))?.field == "component0.bias")
    let heavy = error(detector(weight: 3e38))
    #expect(heavy?.field == "component0.weights")
    #expect(heavy?.problem.hasPrefix("the model cannot be kept, for its file would be refused") == true)
  }
}
