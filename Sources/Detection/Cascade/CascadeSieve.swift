import Execution
import Features
import Geometry
import Imaging
import Learning

/// Looks at single windows here and there in an image: what training asks of the cascade so far.
///
/// A detector's scan goes over whole rows of windows; windows drawn from all over are looked at one by one here. Verdicts
/// are those of `CascadeDetector`, the rule for windows of too little contrast included.
struct CascadeSieve: Sendable {
  let windowSize: PixelSize
  private let areHaar: Bool
  private let hasTilted: Bool
  private var stages: [Stage] = []
  private var trees: [Tree] = []
  private var nodes: [Node] = []
  private var leaves: [Float] = []
  private var sets: [UInt32] = []

  private struct Stage {
    var trees: Range<Int>
    var threshold: Double
    var trace: [Float]?
  }

  private struct Tree {
    var node: Int32
    var leaf: Int32
  }

  private struct Node {
    /// Haar: up to three boxes. Patterns: the corner and the size of a block in the first.
    var boxes: (Box, Box, Box)
    var weights: (Float, Float, Float)
    var boxCount: Int
    var isTilted: Bool
    var threshold: Float
    var set: Int
    /// A later node, or where negative the leaf -1 - value.
    var left: Int32
    var right: Int32
  }

  private struct Box {
    var x = 0
    var y = 0
    var width = 0
    var height = 0
  }

  init(windowSize: PixelSize, features: CascadeFeatures, stages list: [CascadeStage]) {
    self.windowSize = windowSize
    switch features {
    case .haar(let features):
      areHaar = true
      hasTilted = list.contains { $0.trees.contains { $0.nodes.contains { features[$0.feature].isTilted } } }
    case .blockPatterns:
      areHaar = false
      hasTilted = false
    }
    for stage in list {
      let first = trees.count
      for tree in stage.trees { add(tree, features) }
      stages.append(Stage(trees: first..<trees.count, threshold: Double(stage.threshold), trace: stage.trace))
    }
  }

  private mutating func add(_ tree: DecisionTree, _ features: CascadeFeatures) {
    trees.append(Tree(node: Int32(nodes.count), leaf: Int32(leaves.count)))
    leaves += tree.leaves
    for source in tree.nodes {
      var node = Node(
        boxes: (Box(), Box(), Box()), weights: (0, 0, 0), boxCount: 0, isTilted: false, threshold: 0, set: sets.count,
        left: CascadeSieve.branch(source.left), right: CascadeSieve.branch(source.right))
      switch features {
      case .haar(let list):
        let feature = list[source.feature]
        func box(_ index: Int) -> (Box, Float) {
          guard index < feature.boxes.count else { return (Box(), 0) }
          let box = feature.boxes[index]
          return (Box(x: box.x, y: box.y, width: box.width, height: box.height), box.weight)
        }
        (node.boxes.0, node.weights.0) = box(0)
        (node.boxes.1, node.weights.1) = box(1)
        (node.boxes.2, node.weights.2) = box(2)
        node.boxCount = feature.boxes.count
        node.isTilted = feature.isTilted
      case .blockPatterns(let list):
        let pattern = list[source.feature]
        node.boxes.0 = Box(x: pattern.x, y: pattern.y, width: pattern.blockWidth, height: pattern.blockHeight)
      }
      switch source.split {
      case .below(let threshold): node.threshold = threshold
      case .isIn(let set): sets += set.words
      }
      nodes.append(node)
    }
  }

  private static func branch(_ branch: DecisionTree.Branch) -> Int32 {
    switch branch {
    case .node(let index): Int32(index)
    case .leaf(let index): Int32(-1 - index)
    }
  }

  /// How many stages there are.
  var stageCount: Int { stages.count }

  /// The windows of an image that pass.
  ///
  /// - Parameter corners: left columns and top rows of windows that lie in the image.
  /// - Returns: rising indices of `corners`.
  func passing(in image: ByteImage, _ corners: some RandomAccessCollection<(x: Int, y: Int)>) -> [Int] {
    var result: [Int] = []
    look(in: image, corners) { index, verdict in if verdict.passed == stages.count { result.append(index) } }
    return result
  }

  /// As `verdicts`, of windows in an image, with the number of trees that were asked.
  func ranks(
    in image: ByteImage, _ corners: some RandomAccessCollection<(x: Int, y: Int)>
  ) -> [(passed: Int, sum: Double, trees: Int)] {
    var result: [(passed: Int, sum: Double, trees: Int)] = []
    result.reserveCapacity(corners.count)
    look(in: image, corners) { _, verdict in result.append(verdict) }
    return result
  }

  /// For each window how many stages it passes, -1 where it has too little contrast to be looked at, and the sum of the
  /// stage that it ended in.
  ///
  /// - Parameter pixels: windows one after the other.
  func verdicts(_ pixels: ArraySlice<UInt8>) -> [(passed: Int, sum: Double)] {
    let area = windowSize.width * windowSize.height
    let count = pixels.count / area
    let image = ByteImage(
      width: windowSize.width, height: windowSize.height * count, channelCount: 1, pixels: Array(pixels))
    var result: [(passed: Int, sum: Double)] = []
    result.reserveCapacity(count)
    look(in: image, (0..<count).lazy.map { (x: 0, y: $0 * windowSize.height) }) { _, verdict in
      result.append((verdict.passed, verdict.sum))
    }
    return result
  }

  /// Of a cascade of one stage without a trace, for each tree the least sum up to it among the samples that pass; `nil` where
  /// none does.
  func leastRunningSums(_ pixels: [UInt8], _ executor: ParallelExecutor) -> [Double]? {
    precondition(stages.count == 1)
    let area = windowSize.width * windowSize.height
    let chunk = 256
    let count = pixels.count / area
    let passed = CascadeTrainer.verdicts(self, pixels, windowSize, executor).map { $0.passed == 1 }
    let parts = executor.map((count + chunk - 1) / chunk) { index -> [Double] in
      let range = index * chunk..<min(count, (index + 1) * chunk)
      let image = ByteImage(
        width: windowSize.width, height: windowSize.height * range.count, channelCount: 1,
        pixels: Array(pixels[range.lowerBound * area..<range.upperBound * area]))
      var least = [Double](repeating: .infinity, count: trees.count)
      withView(image) { view in
        for number in range where passed[number] {
          let origin = (number - range.lowerBound) * windowSize.height * (image.width + 1)
          guard let scale = areHaar ? view.contrast(origin) : 0 else { continue }
          var sum = 0.0
          for tree in trees.indices {
            sum += leaf(tree, view, origin, scale)
            least[tree] = min(least[tree], sum)
          }
        }
      }
      return least
    }
    let least = parts.reduce([Double](repeating: .infinity, count: trees.count)) { zip($0, $1).map(min) }
    return least.allSatisfy(\.isFinite) ? least : nil
  }

  private func look(
    in image: ByteImage, _ corners: some RandomAccessCollection<(x: Int, y: Int)>,
    _ body: (_ index: Int, _ verdict: (passed: Int, sum: Double, trees: Int)) -> Void
  ) {
    if stages.isEmpty, !areHaar {
      for index in 0..<corners.count { body(index, (0, 0, 0)) }
      return
    }
    withView(image) { view in
      for (index, corner) in corners.enumerated() {
        body(index, verdict(view, corner.y * (image.width + 1) + corner.x))
      }
    }
  }

  private func withView(_ image: ByteImage, _ body: (View) -> Void) {
    let upright = IntegralImage(image)
    let tilted = hasTilted ? TiltedIntegralImage(image) : nil
    let squares = areHaar ? SquaredIntegralImage(image) : nil
    let places = nodes.map { Places($0, areHaar: areHaar, stride: upright.stride) }
    upright.sums.withUnsafeBufferPointer { upright in
      (tilted?.sums ?? []).withUnsafeBufferPointer { tilted in
        (squares?.sums ?? []).withUnsafeBufferPointer { squares in
          places.withUnsafeBufferPointer { places in
            body(
              View(
                sums: upright.baseAddress!, tilted: tilted.baseAddress, squares: squares.baseAddress,
                places: places.baseAddress!, stride: image.width + 1, windowSize: windowSize))
          }
        }
      }
    }
  }

  /// Distances of a node's corners from the window's own place.
  private struct Places {
    var first: (Int, Int, Int, Int) = (0, 0, 0, 0)
    var second: (Int, Int, Int, Int) = (0, 0, 0, 0)
    var third: (Int, Int, Int, Int) = (0, 0, 0, 0)

    init(_ node: Node, areHaar: Bool, stride: Int) {
      func corners(_ box: Box) -> (Int, Int, Int, Int) {
        let (x, y, w, h) = (box.x, box.y, box.width, box.height)
        return node.isTilted
          ? (y * stride + x, (y + h) * stride + x - h, (y + w) * stride + x + w, (y + w + h) * stride + x + w - h)
          : (y * stride + x, y * stride + x + w, (y + h) * stride + x, (y + h) * stride + x + w)
      }
      guard areHaar else {
        let box = node.boxes.0
        first = (box.y * stride + box.x, box.width, box.height * stride, 0)
        return
      }
      first = corners(node.boxes.0)
      second = corners(node.boxes.1)
      third = corners(node.boxes.2)
    }
  }

  private struct View {
    let sums: UnsafePointer<UInt32>
    let tilted: UnsafePointer<UInt32>?
    let squares: UnsafePointer<UInt64>?
    let places: UnsafePointer<Places>
    let stride: Int
    let windowSize: PixelSize

    @inline(__always)
    func box(_ sums: UnsafePointer<UInt32>, _ places: (Int, Int, Int, Int)) -> Float {
      Float(
        Int32(
          bitPattern: sums[places.0] &- sums[places.1] &- sums[places.2] &+ sums[places.3]))
    }

    /// What Haar features are multiplied by; `nil` for a window of too little contrast.
    func contrast(_ origin: Int) -> Float? {
      let (width, height) = (windowSize.width - 2, windowSize.height - 2)
      let upper = origin + stride + 1
      let lower = upper + height * stride
      let sum = sums[upper] &- sums[upper + width] &- sums[lower] &+ sums[lower + width]
      let square =
        squares![upper] &- squares![upper + width] &- squares![lower] &+ squares![lower + width]
      let scale = WindowContrast.scale(area: width * height, sum: Int(sum), squares: Int(square))
      return WindowContrast.isSeen(area: width * height, scale: scale) ? scale : nil
    }
  }

  /// How many stages a window passes (-1: not looked at), the sum of the last that was looked at, and how many trees were
  /// asked.
  private func verdict(_ view: View, _ origin: Int) -> (passed: Int, sum: Double, trees: Int) {
    var scale: Float = 0
    if areHaar {
      guard let seen = view.contrast(origin) else { return (-1, -.infinity, 0) }
      scale = seen
    }
    var sum = 0.0
    for (index, stage) in stages.enumerated() {
      sum = 0
      for tree in stage.trees {
        sum += leaf(tree, view, origin, scale)
        if let trace = stage.trace, sum < Double(trace[tree - stage.trees.lowerBound]) {
          return (index, sum, tree + 1)
        }
      }
      if sum < stage.threshold { return (index, sum, stage.trees.upperBound) }
    }
    return (stages.count, sum, trees.count)
  }

  /// The value of the leaf of one tree that a window falls into.
  @inline(__always)
  private func leaf(_ number: Int, _ view: View, _ origin: Int, _ scale: Float) -> Double {
    nodes.withUnsafeBufferPointer { nodes in
      let tree = trees[number]
      var next = 0
      repeat {
        let place = Int(tree.node) + next
        let node = nodes.baseAddress! + place
        let goesLeft =
          areHaar
          ? haar(view, place, node, origin, scale) < node.pointee.threshold
          : sets.withUnsafeBufferPointer { isIn($0.baseAddress! + node.pointee.set, pattern(view, place, origin)) }
        next = Int(goesLeft ? node.pointee.left : node.pointee.right)
      } while next > 0
      return Double(leaves[Int(tree.leaf) - 1 - next])
    }
  }

  @inline(__always)
  private func isIn(_ set: UnsafePointer<UInt32>, _ category: Int) -> Bool {
    set[category >> 5] & (1 << UInt32(category & 31)) != 0
  }

  @inline(__always)
  private func haar(
    _ view: View, _ place: Int, _ node: UnsafePointer<Node>, _ origin: Int, _ scale: Float
  ) -> Float {
    let sums = (node.pointee.isTilted ? view.tilted! : view.sums) + origin
    let places = view.places + place
    var value =
      view.box(sums, places.pointee.first) * node.pointee.weights.0
      + view.box(sums, places.pointee.second) * node.pointee.weights.1
    if node.pointee.boxCount > 2 { value += view.box(sums, places.pointee.third) * node.pointee.weights.2 }
    return value * scale
  }

  @inline(__always)
  private func pattern(_ view: View, _ place: Int, _ origin: Int) -> Int {
    let (corner, across, down, _) = view.places[place].first
    let base = view.sums + origin + corner
    @inline(__always) func steps(_ row: UnsafePointer<UInt32>) -> (UInt32, UInt32, UInt32) {
      let (a, b, c, d) = (row[0], row[across], row[2 * across], row[3 * across])
      return (b &- a, c &- b, d &- c)
    }
    let (r0, r1) = (steps(base), steps(base + down))
    let (r2, r3) = (steps(base + 2 * down), steps(base + 3 * down))
    let middle = r2.1 &- r1.1
    var code = r1.0 &- r0.0 >= middle ? 128 : 0
    code |= r1.1 &- r0.1 >= middle ? 64 : 0
    code |= r1.2 &- r0.2 >= middle ? 32 : 0
    code |= r2.2 &- r1.2 >= middle ? 16 : 0
    code |= r3.2 &- r2.2 >= middle ? 8 : 0
    code |= r3.1 &- r2.1 >= middle ? 4 : 0
    code |= r3.0 &- r2.0 >= middle ? 2 : 0
    code |= r2.0 &- r1.0 >= middle ? 1 : 0
    return code
  }
}
