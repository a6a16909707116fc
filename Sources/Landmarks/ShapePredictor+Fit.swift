import Geometry
import Imaging

extension ShapePredictor {
  /// The points of one face.
  ///
  /// - Parameters:
  ///   - image: grey or RGB (turned to grey as the mean of its channels within what is seen of it, dlib's rule).
  ///   - box: the face box, of the kind that the predictor was trained with. It may stick out of the photo.
  /// - Returns: `pointCount` points in the photo's continuous coordinates; they may lie outside it. `nil` for a box that
  ///   is empty or not finite, an image without pixels, and where the model's numbers lead to points that are none.
  /// - Complexity: O(levels x trees x (depth + points)).
  public func fit(_ image: ByteImage, box: Box) -> [Point]? {
    guard box.isFinite, !box.isEmpty, image.width > 0, image.height > 0 else { return nil }
    let view = FaceView(image, box: box, largestBox: largestBox, margin: margin)
    return view.withPlane { plane, pictureFrame in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: meanShape.count) { shape in
        _ = shape.initialize(from: meanShape)
        refine(plane, shape: shape.baseAddress!)
        guard shape.allSatisfy(\.isFinite) else { return nil }
        return (0..<pointCount).map { pictureFrame.point(x: shape[2 * $0], y: shape[2 * $0 + 1]) }
      }
    }
  }

  /// Moves `shape` through levels `first...` of the cascade.
  func refine(_ plane: GreyPlane, shape: UnsafeMutablePointer<Float>, from first: Int = 0) {
    let poolSize = levels.map(\.pool.count).max() ?? 0
    let width = max(meanShape.count, levels.map(\.width).max() ?? 0)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: poolSize) { pixels in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: width + meanShape.count) { sums in
        meanShape.withUnsafeBufferPointer { mean in
          for level in levels.dropFirst(first) where level.pool.count > 0 {
            let turn = Turn(from: mean.baseAddress!, to: shape, count: pointCount)
            readPixels(
              plane, shape: shape, turn: turn, pool: level.pool, border: border, output: pixels.baseAddress!)
            level.apply(
              UnsafePointer(pixels.baseAddress!), scratch: sums.baseAddress!, to: shape, values: meanShape.count,
              turn: changeFrame == .shape ? turn : nil)
          }
        }
      }
    }
    if gradientLevels.isEmpty { return }
    var face: AlignedFace?
    for (index, level) in gradientLevels.enumerated() {
      let isShared = index + 1 < gradientLevels.count && !gradientLevels[index + 1].reading.alignsAnew
      face = refine(plane, shape: shape, by: level, reusing: face, isShared: isShared)
    }
  }

  /// Moves `shape` by one gradient level.
  /// - Parameters:
  ///   - face: that of the level before, still aligned to its photo.
  ///   - isShared: whether the next level reads this one's face again.
  /// - Returns: what the next level may read again.
  func refine(
    _ plane: GreyPlane, shape: UnsafeMutablePointer<Float>, by level: GradientLevel, reusing face: AlignedFace?,
    isShared: Bool
  ) -> AlignedFace {
    var aligned = face
    if face.map({ !$0.reading.reads(sameFaceAs: level.reading) }) ?? true { aligned = nil }
    let reader = aligned ?? AlignedFace(level.reading, meanShape: meanShape)
    if aligned == nil || level.reading.alignsAnew {
      let turn = meanShape.withUnsafeBufferPointer { Turn(from: $0.baseAddress!, to: shape, count: pointCount) }
      reader.align(shape: shape, turn: turn, spare: isShared ? ShapePredictor.spare : 0)
    }
    refine(plane, shape: shape, by: level, reading: reader)
    return reader
  }

  /// Pixels of an aligned face by which most shapes move at most when it is read a second time.
  private static let spare = 3

  /// Moves `shape` by what the level sees in a face that is aligned already.
  func refine(
    _ plane: GreyPlane, shape: UnsafeMutablePointer<Float>, by level: GradientLevel, reading face: AlignedFace
  ) {
    let values = meanShape.count
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: face.featureCount) { features in
      face.read(plane, shape, to: features.baseAddress!)
      withUnsafeTemporaryAllocation(of: Float.self, capacity: values) { change in
        level.change(features.baseAddress!, values: values, to: change.baseAddress!)
        let turn = face.turn
        for k in 0..<pointCount {
          shape[2 * k] += turn.a * change[2 * k] - turn.b * change[2 * k + 1]
          shape[2 * k + 1] += turn.b * change[2 * k] + turn.a * change[2 * k + 1]
        }
      }
    }
  }
}

func readPixels(
  _ plane: GreyPlane, shape: UnsafePointer<Float>, turn: Turn, pool: PixelPool, border: ShapePredictor.Border,
  output: UnsafeMutablePointer<UInt8>
) {
  pool.anchors.withUnsafeBufferPointer { anchors in
    pool.offsetX.withUnsafeBufferPointer { x in
      pool.offsetY.withUnsafeBufferPointer { y in
        readPixels(
          plane, shape: shape, turn: turn, anchors: anchors.baseAddress!, offsetX: x.baseAddress!,
          offsetY: y.baseAddress!, count: pool.count, border: border, output: output)
      }
    }
  }
}

extension ShapeForest {
  /// Adds the trees' changes to `shape` (`values` numbers), turned by `turn` where it is given.
  ///
  /// - Parameter scratch: `width + values` floats.
  func apply(
    _ pixels: UnsafePointer<UInt8>, scratch: UnsafeMutablePointer<Float>, to shape: UnsafeMutablePointer<Float>,
    values: Int, turn: Turn?
  ) {
    if turn == nil && basis.isEmpty {
      addLeaves(pixels, to: shape)
      return
    }
    scratch.update(repeating: 0, count: width + values)
    addLeaves(pixels, to: scratch)
    var change = scratch
    if !basis.isEmpty {
      change = scratch + width
      basis.withUnsafeBufferPointer { rows in
        for k in 0..<width {
          let factor = scratch[k]
          let row = rows.baseAddress! + k * values
          for j in 0..<values { change[j] += factor * row[j] }
        }
      }
    }
    let turn = turn ?? .identity
    for k in 0..<values / 2 {
      shape[2 * k] += turn.a * change[2 * k] - turn.b * change[2 * k + 1]
      shape[2 * k + 1] += turn.b * change[2 * k] + turn.a * change[2 * k + 1]
    }
  }

  /// Adds each tree's leaf row to `sums` (`width` floats).
  func addLeaves(_ pixels: UnsafePointer<UInt8>, to sums: UnsafeMutablePointer<Float>) {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: max(1, treeCount)) { found in
      findLeaves(pixels, found.baseAddress!)
      switch leaves {
      case .float(let values):
        values.withUnsafeBufferPointer { table in
          for tree in 0..<treeCount { addRow(table.baseAddress! + Int(found[tree]) * width, sums, width) }
        }
      case .int16(let values, let scale):
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: width) { total in
          total.initialize(repeating: 0)
          values.withUnsafeBufferPointer { table in
            for tree in 0..<treeCount {
              addRow(table.baseAddress! + Int(found[tree]) * width, total.baseAddress!, width)
            }
          }
          for k in 0..<width { sums[k] += scale * Float(total[k]) }
        }
      case .int8(let values, let scale):
        withUnsafeTemporaryAllocation(of: Int16.self, capacity: width) { partial in
          values.withUnsafeBufferPointer { table in
            var start = 0
            while start < treeCount {
              // 256 rows of at most 128 in size cannot leave 16 bits.
              let end = min(treeCount, start + 255)
              partial.initialize(repeating: 0)
              for tree in start..<end {
                addRow(table.baseAddress! + Int(found[tree]) * width, partial.baseAddress!, width)
              }
              for k in 0..<width { sums[k] += scale * Float(partial[k]) }
              start = end
            }
          }
        }
      }
    }
  }

  /// For each tree the number of its leaf row in the level's table.
  @inline(never)
  func findLeaves(_ pixels: UnsafePointer<UInt8>, _ found: UnsafeMutablePointer<Int32>) {
    let size = splitsPerTree
    let (depth, leafCount, treeCount) = (depth, leavesPerTree, treeCount)
    splits.withUnsafeBufferPointer { splits in
      guard var tree0 = splits.baseAddress else { return }
      var tree = 0
      // Four trees in step hide the wait for each one's next node.
      while tree + 4 <= treeCount {
        let tree1 = tree0 + size
        let tree2 = tree1 + size
        let tree3 = tree2 + size
        var (n0, n1, n2, n3) = (0, 0, 0, 0)
        for _ in 0..<depth {
          n0 = nextNode(tree0, n0, pixels)
          n1 = nextNode(tree1, n1, pixels)
          n2 = nextNode(tree2, n2, pixels)
          n3 = nextNode(tree3, n3, pixels)
        }
        let base = tree * leafCount - size
        found[tree] = Int32(truncatingIfNeeded: base + n0)
        found[tree + 1] = Int32(truncatingIfNeeded: base + leafCount + n1)
        found[tree + 2] = Int32(truncatingIfNeeded: base + 2 * leafCount + n2)
        found[tree + 3] = Int32(truncatingIfNeeded: base + 3 * leafCount + n3)
        tree += 4
        tree0 = tree3 + size
      }
      while tree < treeCount {
        var node = 0
        for _ in 0..<depth { node = nextNode(tree0, node, pixels) }
        found[tree] = Int32(truncatingIfNeeded: tree * leafCount - size + node)
        tree += 1
        tree0 += size
      }
    }
  }
}

@inline(__always)
private func nextNode(_ tree: UnsafePointer<PixelDifferenceSplit>, _ node: Int, _ pixels: UnsafePointer<UInt8>) -> Int {
  let split = tree[node]
  let difference = Int32(pixels[Int(split.first)]) &- Int32(pixels[Int(split.second)])
  // 0 where the difference is larger (left), 1 where it is not: the sign of (difference - threshold - 1).
  let right = Int(UInt32(bitPattern: difference &- Int32(split.threshold) &- 1) >> 31)
  return 2 &* node &+ 1 &+ right
}

@inline(__always)
private func addRow(_ row: UnsafePointer<Float>, _ sums: UnsafeMutablePointer<Float>, _ width: Int) {
  for k in 0..<width { sums[k] += row[k] }
}

@inline(__always)
private func addRow(_ row: UnsafePointer<Int16>, _ sums: UnsafeMutablePointer<Int32>, _ width: Int) {
  for k in 0..<width { sums[k] &+= Int32(row[k]) }
}

@inline(__always)
private func addRow(_ row: UnsafePointer<Int8>, _ sums: UnsafeMutablePointer<Int16>, _ width: Int) {
  for k in 0..<width { sums[k] &+= Int16(row[k]) }
}
