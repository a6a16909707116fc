import Execution
import Features
import Geometry
import Imaging
import Learning

extension CascadeDetector: ObjectDetector {
  public var summary: [String] {
    let trees = stages.flatMap(\.trees)
    let depth = trees.map(\.depth).max() ?? 0
    let kind =
      switch features {
      case .haar(let features):
        features.contains(where: \.isTilted) ? "Haar features, tilted ones among them" : "upright Haar features"
      case .blockPatterns: "multi-block local binary patterns"
      }
    let used = Set(trees.flatMap(\.nodes).map(\.feature)).count
    return [
      "finds \(label), window \(windowSize.width) x \(windowSize.height) pixels",
      "\(used) \(kind)",
      "\(stages.count) stages\(stages.contains { $0.trace != nil } ? ", rejecting within them (soft cascade)" : ""), "
        + "\(trees.count) trees of depth \(depth == 1 ? "1" : "1 to \(depth)"), "
        + (calibration == nil ? "not calibrated" : "calibrated"),
      "trees by stage: " + stages.map { "\($0.trees.count)" }.joined(separator: " "), scanOptions.summary,
    ]
  }

  /// The features that each stage asks for first, three at most, on a grey window: light is what is added and dark what is
  /// taken off; of a pattern the eight blocks are light and dark in turn around the black one that they are compared with.
  public var pictures: [ContactSheet.Cell] {
    stages.enumerated().map { index, stage in
      let asked = stage.trees.prefix(3).map { $0.nodes[0].feature }
      let scale = max(1, 72 / max(windowSize.width, windowSize.height))
      let width = windowSize.width * scale
      let gap = 4
      let height = windowSize.height * scale
      // Where a stage has fewer trees, the rest is as the sheet's ground.
      var picture = ByteImage(
        width: 3 * width + 2 * gap, height: height, channelCount: 3, filledWith: ContactSheet.ground.red)
      for (place, feature) in asked.enumerated() {
        let levels = levels(ofFeature: feature)
        for y in 0..<height {
          for x in 0..<width {
            let level = levels[y / scale * windowSize.width + x / scale]
            let pixel = 3 * (y * picture.width + place * (width + gap) + x)
            for channel in 0..<3 { picture.pixels[pixel + channel] = level }
          }
        }
      }
      let count = stage.trees.count
      return ContactSheet.Cell(image: picture, caption: "stage \(index + 1): \(count) tree\(count == 1 ? "" : "s")")
    }
  }

  private func levels(ofFeature index: Int) -> [UInt8] {
    let (columns, rows) = (windowSize.width, windowSize.height)
    var levels = [UInt8](repeating: 128, count: columns * rows)
    switch features {
    case .haar(let features):
      let feature = features[index]
      var weights = [Float](repeating: 0, count: columns * rows)
      for box in feature.boxes {
        for y in 0..<rows {
          for x in 0..<columns where box.covers(x: x, y: y, isTilted: feature.isTilted) {
            weights[y * columns + x] += box.weight
          }
        }
      }
      let greatest = max(weights.map(abs).max() ?? 0, .leastNormalMagnitude)
      for (place, weight) in weights.enumerated() { levels[place] = UInt8(128 + 120 * weight / greatest) }
    case .blockPatterns(let patterns):
      let pattern = patterns[index]
      for y in pattern.y..<pattern.y + 3 * pattern.blockHeight {
        for x in pattern.x..<pattern.x + 3 * pattern.blockWidth {
          let block = (y - pattern.y) / pattern.blockHeight * 3 + (x - pattern.x) / pattern.blockWidth
          levels[y * columns + x] = block == 4 ? 0 : block % 2 == 0 ? 230 : 180
        }
      }
    }
    return levels
  }
}

extension HaarFeature.WeightedBox {
  /// Whether a pixel of the window is summed. A turned box covers the pixels between its sides, as `TiltedIntegralImage`
  /// sums them.
  func covers(x column: Int, y row: Int, isTilted: Bool) -> Bool {
    guard isTilted else { return (x..<x + width).contains(column) && (y..<y + height).contains(row) }
    // Along the axes of the box: down to the right and down to the left, two pixels a step.
    let down = row - y
    let across = column - x
    return (0..<2 * width).contains(down + across + 1) && (0..<2 * height).contains(down - across - 1)
  }
}
