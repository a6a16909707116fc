import Execution
import Geometry
import Imaging

/// A cascade in plain numbers, judged pixel by pixel: slow and obvious.
public struct CascadeOracle: Sendable {
  public struct Box: Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int
    public var weight: Float
  }

  /// Haar boxes, or one box that is the block at the top left of nine.
  public struct Feature: Sendable {
    public var boxes: [Box]
    public var isTilted: Bool
  }

  public struct Node: Sendable {
    public var feature: Int
    public var threshold: Float
    /// Eight words for block patterns.
    public var set: [UInt32]
    /// Above 0 a node, else a leaf, as in OpenCV's files.
    public var left: Int
    public var right: Int
  }

  public struct Tree: Sendable {
    public var nodes: [Node]
    public var leaves: [Float]
  }

  public struct Stage: Sendable {
    public var trees: [Tree]
    public var threshold: Float
    public var trace: [Float]?
  }

  public var windowSize: PixelSize
  public var isHaar: Bool
  public var features: [Feature]
  public var stages: [Stage]

  /// What became of a window.
  public enum Verdict: Hashable, Sendable {
    /// Too little contrast.
    case flat
    /// The stage that rejected it.
    case rejected(Int)
    /// The last stage's sum.
    case passed(Double)
  }

  public func verdict(_ image: ByteImage, x: Int, y: Int) -> Verdict {
    var inverse: Float = 1
    if isHaar {
      var sum = 0.0
      var squares = 0.0
      for row in 1..<windowSize.height - 1 {
        for column in 1..<windowSize.width - 1 {
          let value = Double(image.pixels[(y + row) * image.width + x + column])
          sum += value
          squares += value * value
        }
      }
      let area = Double((windowSize.width - 2) * (windowSize.height - 2))
      let variation = area * squares - sum * sum
      if variation <= 0 { return .flat }
      inverse = Float(1 / variation.squareRoot())
      if area * Double(inverse) >= 0.1 { return .flat }
    }
    var total = 0.0
    for (index, stage) in stages.enumerated() {
      total = 0
      for (number, tree) in stage.trees.enumerated() {
        total += Double(leaf(tree, image, x, y, inverse))
        if let trace = stage.trace, total < Double(trace[number]) { return .rejected(index) }
      }
      if total < Double(stage.threshold) { return .rejected(index) }
    }
    return .passed(total)
  }

  private func leaf(_ tree: Tree, _ image: ByteImage, _ x: Int, _ y: Int, _ inverse: Float) -> Float {
    var node = tree.nodes[0]
    while true {
      let isLeft: Bool
      if isHaar {
        isLeft = haar(features[node.feature], image, x, y) * inverse < node.threshold
      } else {
        let category = pattern(features[node.feature].boxes[0], image, x, y)
        isLeft = node.set[category / 32] >> UInt32(category % 32) & 1 == 1
      }
      let next = isLeft ? node.left : node.right
      if next <= 0 { return tree.leaves[-next] }
      node = tree.nodes[next]
    }
  }

  private func haar(_ feature: Feature, _ image: ByteImage, _ x: Int, _ y: Int) -> Float {
    var value: Float = 0
    for box in feature.boxes {
      var sum = 0
      for row in 0..<windowSize.height {
        for column in 0..<windowSize.width {
          let inside: Bool
          if feature.isTilted {
            // Steps from the top corner along both diagonals.
            let right = (column - box.x) + (row - box.y)
            let left = (row - box.y) - (column - box.x)
            inside = right >= -1 && right < 2 * box.width - 1 && left >= 1 && left < 2 * box.height + 1
          } else {
            inside =
              column >= box.x && column < box.x + box.width && row >= box.y && row < box.y + box.height
          }
          if inside { sum += Int(image.pixels[(y + row) * image.width + x + column]) }
        }
      }
      value += box.weight * Float(sum)
    }
    return value
  }

  private func pattern(_ block: Box, _ image: ByteImage, _ x: Int, _ y: Int) -> Int {
    func sum(_ column: Int, _ row: Int) -> Int {
      var sum = 0
      for v in 0..<block.height {
        for u in 0..<block.width {
          let pixelX = x + block.x + column * block.width + u
          sum += Int(image.pixels[(y + block.y + row * block.height + v) * image.width + pixelX])
        }
      }
      return sum
    }
    let around = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    return around.reduce(0) { $0 * 2 + (sum($1.0, $1.1) >= sum(1, 1) ? 1 : 0) }
  }

  // MARK: Made up

  /// A cascade of made-up features that lets some windows of noisy pictures through.
  ///
  /// - Parameters:
  ///   - nodeLimit: trees have 1 to so many nodes.
  ///   - weights: of second and third boxes: whole numbers, or any.
  public static func random(
    seed: UInt64, windowSize: PixelSize, isHaar: Bool, tilted: Bool = false, stageCount: Int = 4, nodeLimit: Int = 1,
    isSoft: Bool = false
  ) -> CascadeOracle {
    var random = RandomStream(seed: seed, stream: 77)
    let (width, height) = (windowSize.width, windowSize.height)
    var features: [Feature] = []
    while features.count < 24 {
      if isHaar {
        let turned = tilted && random.index(below: 2) == 0
        let w = 1 + random.index(below: width / 2)
        let h = 1 + random.index(below: height / 2)
        let parts = 2 + random.index(below: 2)
        let reach =
          turned ? PixelSize(width: w * parts + h, height: w * parts + h) : PixelSize(width: w * parts, height: h)
        guard reach.width <= width && reach.height <= height else { continue }
        let x = random.index(below: width - reach.width + 1) + (turned ? h : 0)
        let y = random.index(below: height - reach.height + 1)
        var boxes = [Box(x: x, y: y, width: w * parts, height: h, weight: -1)]
        // Along the box's own first axis.
        boxes.append(Box(x: x + w, y: turned ? y + w : y, width: w, height: h, weight: Float(parts)))
        if random.index(below: 3) == 0 {
          boxes[1].weight = 1.5
          boxes.append(Box(x: x, y: y, width: w, height: h, weight: Float(parts) - 1.5))
        }
        features.append(Feature(boxes: boxes, isTilted: turned))
      } else {
        let w = 1 + random.index(below: width / 3)
        let h = 1 + random.index(below: height / 3)
        features.append(
          Feature(
            boxes: [
              Box(
                x: random.index(below: width - 3 * w + 1), y: random.index(below: height - 3 * h + 1), width: w,
                height: h, weight: 1)
            ], isTilted: false))
      }
    }
    let stages = (0..<stageCount).map { _ in
      let trees = (0..<2 + random.index(below: 4)).map { _ in
        tree(1 + random.index(below: nodeLimit), features.count, isHaar, &random)
      }
      let threshold = Float(random.uniform(in: -0.6..<0.1))
      return Stage(
        trees: trees, threshold: threshold,
        trace: isSoft ? trees.indices.map { _ in Float(random.uniform(in: -1.5..<(-0.4))) } : nil)
    }
    return CascadeOracle(windowSize: windowSize, isHaar: isHaar, features: features, stages: stages)
  }

  /// A tree grown by parting leaves at random.
  private static func tree(_ count: Int, _ features: Int, _ isHaar: Bool, _ random: inout RandomStream) -> Tree {
    var nodes: [Node] = []
    var open: [(node: Int, isLeft: Bool)] = []
    for index in 0..<count {
      nodes.append(
        Node(
          feature: random.index(below: features), threshold: Float(random.uniform(in: -0.02..<0.02)),
          set: isHaar ? [] : (0..<8).map { _ in UInt32(truncatingIfNeeded: random.next()) }, left: 0, right: 0))
      if index > 0 {
        let place = open.remove(at: random.index(below: open.count))
        if place.isLeft { nodes[place.node].left = index } else { nodes[place.node].right = index }
      }
      open += [(index, true), (index, false)]
    }
    for (leaf, place) in open.enumerated() {
      if place.isLeft { nodes[place.node].left = -leaf } else { nodes[place.node].right = -leaf }
    }
    return Tree(nodes: nodes, leaves: open.map { _ in Float(random.uniform(in: -1..<1)) })
  }
}

extension CascadeOracle {
  /// A noisy picture with blobs: windows of many contrasts.
  public static func picture(seed: UInt64, width: Int, height: Int) -> ByteImage {
    var random = RandomStream(seed: seed, stream: 78)
    var values = (0..<width * height).map { _ in 100 + random.uniform(in: -6..<6) }
    for _ in 0..<30 {
      let (x, y) = (random.index(below: width), random.index(below: height))
      let (w, h) = (1 + random.index(below: 25), 1 + random.index(below: 25))
      let change = random.uniform(in: -70..<70)
      for row in y..<min(height, y + h) {
        for column in x..<min(width, x + w) { values[row * width + column] += change }
      }
    }
    return ByteImage(
      width: width, height: height, channelCount: 1, pixels: values.map { UInt8(max(0, min(255, $0))) })
  }
}
