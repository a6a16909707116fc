import Geometry

/// A grey picture lent for reading, and where a face box lies in it.
struct GreyPlane {
  let pixels: UnsafePointer<UInt8>
  let width: Int
  let height: Int
  /// Picture coordinates of the box's (0, 0), and pixels to a box unit, by axis.
  let originX: Double
  let originY: Double
  let unitX: Double
  let unitY: Double
}

/// The map from box units to a picture's continuous coordinates, from pixel centre to pixel centre (dlib's rule).
struct BoxFrame: Hashable, Sendable {
  var originX: Double
  var originY: Double
  var unitX: Double
  var unitY: Double

  init(originX: Double, originY: Double, unitX: Double, unitY: Double) {
    self.originX = originX
    self.originY = originY
    self.unitX = unitX
    self.unitY = unitY
  }

  /// - Precondition: the box is finite and not empty.
  init(_ box: Box) {
    precondition(box.isFinite && !box.isEmpty, "a face box needs a size")
    originX = box.x + 0.5
    originY = box.y + 0.5
    // A box of one pixel would have no unit.
    unitX = max(box.width - 1, 0.5)
    unitY = max(box.height - 1, 0.5)
  }

  func point(x: Float, y: Float) -> Point {
    Point(x: originX + unitX * Double(x), y: originY + unitY * Double(y))
  }

  func units(_ point: Point) -> SIMD2<Float> {
    SIMD2(Float((point.x - originX) / unitX), Float((point.y - originY) / unitY))
  }
}

/// Rotation and scale without a shift, in single precision.
struct Turn {
  var a: Float
  var b: Float

  static let identity = Turn(a: 1, b: 0)

  /// The least-squares turn of `source` onto `target`, both of `count` points (x, y in turn), each about its own mean.
  ///
  /// The identity where the source is a single place.
  @inline(__always)
  init(from source: UnsafePointer<Float>, to target: UnsafePointer<Float>, count: Int) {
    var sx = 0.0
    var sy = 0.0
    var tx = 0.0
    var ty = 0.0
    for k in 0..<count {
      sx += Double(source[2 * k])
      sy += Double(source[2 * k + 1])
      tx += Double(target[2 * k])
      ty += Double(target[2 * k + 1])
    }
    let n = Double(count)
    (sx, sy, tx, ty) = (sx / n, sy / n, tx / n, ty / n)
    var dot = 0.0
    var cross = 0.0
    var norm = 0.0
    for k in 0..<count {
      let px = Double(source[2 * k]) - sx
      let py = Double(source[2 * k + 1]) - sy
      let qx = Double(target[2 * k]) - tx
      let qy = Double(target[2 * k + 1]) - ty
      dot += px * qx + py * qy
      cross += px * qy - py * qx
      norm += px * px + py * py
    }
    self.init(a: norm > 0 ? Float(dot / norm) : 1, b: norm > 0 ? Float(cross / norm) : 0)
  }

  @inline(__always)
  init(a: Float, b: Float) {
    self.a = a
    self.b = b
  }

  /// The turn that undoes this one; the identity where there is none.
  var inverse: Turn {
    let squared = a * a + b * b
    return squared > 1e-12 ? Turn(a: a / squared, b: -b / squared) : .identity
  }
}

/// Reads the pool's pixels around a shape into `output`, one byte each.
///
/// A picture point that is not a number or far outside counts as outside.
@inline(never)
func readPixels(
  _ plane: GreyPlane, shape: UnsafePointer<Float>, turn: Turn, anchors: UnsafePointer<UInt16>,
  offsetX: UnsafePointer<Float>, offsetY: UnsafePointer<Float>, count: Int, border: ShapePredictor.Border,
  output: UnsafeMutablePointer<UInt8>
) {
  let (ox, oy, ux, uy) = (plane.originX, plane.originY, plane.unitX, plane.unitY)
  let (w, h) = (Double(plane.width), Double(plane.height))
  let replicate = border == .replicate
  let (lastX, lastY) = (w - 1, h - 1)
  for k in 0..<count {
    let anchor = 2 * Int(anchors[k])
    let (dx, dy) = (offsetX[k], offsetY[k])
    let u = turn.a * dx - turn.b * dy + shape[anchor]
    let v = turn.b * dx + turn.a * dy + shape[anchor + 1]
    var x = ox + ux * Double(u)
    var y = oy + uy * Double(v)
    if replicate {
      // The comparisons are false for what is not a number, which then becomes 0.
      x = x > 0 ? (x < lastX ? x : lastX) : 0
      y = y > 0 ? (y < lastY ? y : lastY) : 0
      output[k] = plane.pixels[Int(Int32(y)) * plane.width + Int(Int32(x))]
    } else {
      let inside = x >= 0 && x < w && y >= 0 && y < h
      output[k] = inside ? plane.pixels[Int(Int32(y)) * plane.width + Int(Int32(x))] : 0
    }
  }
}
