import Geometry

/// A face in the mean shape's frame: its gradients by direction, summed over cells, to be read around landmarks.
///
/// The face is sampled at `resolution` pixels to a box unit (between the photo's pixels; the nearest one outside it). Each
/// pixel's gradient is shared between the two nearest of eight directions (0...360 degrees), and each of the eight planes is
/// summed over `cell x cell` pixels around every pixel. Whole numbers throughout, so that the same photo gives the same bits
/// everywhere. Reused from face to face.
///
/// Only the rectangle that is looked at is computed, when it is looked at.
///
/// Cost of aligning: some 15 operations for each of that rectangle's pixels; of reading: `8 grid^2` values a landmark.
final class AlignedFace {
  let reading: GradientLevel.Reading
  /// Values of a feature are in `0...featureLimit`.
  static let featureLimit: Float = 511

  let points: Int
  /// The mean shape's middle, and the frame's first pixel, in box units.
  let center: SIMD2<Float>
  let corner: SIMD2<Float>
  let width: Int
  let height: Int
  let maps: Maps
  /// For each landmark the first pixel of its grid, and how far the grid lies from there to the next pixels.
  let places: UnsafeMutablePointer<GridPlace>
  let values: UnsafeMutablePointer<SIMD8<Float>>
  /// Where the face was aligned to.
  private(set) var middle = SIMD2<Float>.zero
  private(set) var turn = Turn.identity
  /// What of `maps.sums` is of this face, and how much around what is looked at is computed with it.
  var ready = PixelArea.none
  private(set) var spare = 0

  init(_ reading: GradientLevel.Reading, meanShape: [Float]) {
    self.reading = reading
    points = meanShape.count / 2
    var low = SIMD2(Float.infinity, .infinity)
    var high = -low
    var sum = SIMD2<Float>.zero
    for k in 0..<points {
      let place = SIMD2(meanShape[2 * k], meanShape[2 * k + 1])
      low = pointwiseMin(low, place)
      high = pointwiseMax(high, place)
      sum += place
    }
    center = sum / Float(points)
    // Room for the outermost grids, and for shapes that are wider than the mean.
    let reach = Float(Double(reading.grid * reading.cell) / 2 / reading.resolution) + 0.1
    corner = low - reach
    let size = (high + reach - corner) * Float(reading.resolution)
    width = min(1024, max(4, Int(size.x.rounded(.up))))
    height = min(1024, max(4, Int(size.y.rounded(.up))))
    maps = Maps(width: width, height: height, cell: reading.cell)
    places = .allocate(capacity: points)
    values = .allocate(capacity: reading.grid * reading.grid)
  }

  deinit {
    maps.deallocate()
    places.deallocate()
    values.deallocate()
  }

  var featureCount: Int { reading.featureCount(points: points) }

  /// Takes the face under `shape`, whose turn from the mean shape is `turn`.
  /// - Parameter spare: pixels around what is looked at first that another reading may want, too.
  func align(shape: UnsafePointer<Float>, turn: Turn, spare: Int = 0) {
    var middle = SIMD2<Float>.zero
    for k in 0..<points { middle += SIMD2(shape[2 * k], shape[2 * k + 1]) }
    align(middle: middle / Float(points), turn: turn, spare: spare)
  }

  /// Takes the face as it lay when another run had `middle` and `turn`.
  func align(middle: SIMD2<Float>, turn: Turn, spare: Int = 0) {
    self.middle = middle
    self.turn = turn
    self.spare = spare
    ready = .none
  }

  /// Makes the sums of an area ready.
  func prepare(_ area: PixelArea, of plane: GreyPlane) {
    let half = reading.cell / 2
    let gradients = area.grown(by: half, width: width, height: height)
    sample(plane, gradients.grown(by: 1, width: width, height: height))
    maps.sum(area, gradients: gradients)
    ready = area
  }

  /// Fills an area of `maps.gray`, by steps of 1/65536 of a pixel.
  private func sample(_ plane: GreyPlane, _ area: PixelArea) {
    let step = Float(1 / reading.resolution)
    let (ux, uy) = (Float(plane.unitX), Float(plane.unitY))
    let (lastX, lastY) = (Int32(plane.width - 1) << 16, Int32(plane.height - 1) << 16)
    let stepX = AlignedFace.fixed(turn.a * step * ux)
    let stepY = AlignedFace.fixed(turn.b * step * uy)
    let stride = plane.width
    let count = area.columns.count
    for row in area.rows {
      let place = SIMD2<Float>(0.5, Float(row) + 0.5)
      let d: SIMD2<Float> = corner - center + place * step
      let u = middle.x + turn.a * d.x - turn.b * d.y
      let v = middle.y + turn.b * d.x + turn.a * d.y
      // Between pixel centres. Rows are reckoned from their first pixel, which need not be in the area.
      let skipped = Int32(truncatingIfNeeded: area.columns.lowerBound)
      let firstX = AlignedFace.fixed(Float(plane.originX) + ux * u - 0.5)
      let firstY = AlignedFace.fixed(Float(plane.originY) + uy * v - 0.5)
      var x = firstX &+ skipped &* stepX
      var y = firstY &+ skipped &* stepY
      let to = maps.gray + row * width + area.columns.lowerBound
      if AlignedFace.stays(firstX, stepX, area.columns, below: lastX)
        && AlignedFace.stays(firstY, stepY, area.columns, below: lastY)
      {
        maps.fetch(
          plane.pixels, stride: stride, x: Int(x), y: Int(y), stepX: Int(stepX), stepY: Int(stepY), count: count)
        maps.blend(x: x, y: y, stepX: stepX, stepY: stepY, count: count, to: to)
      } else {
        for k in 0..<count {
          let (cx, cy) = (min(max(x, 0), lastX), min(max(y, 0), lastY))
          let offset: Int = Int(cy >> 16) * stride + Int(cx >> 16)
          let at = plane.pixels + offset
          let right = cx < lastX ? 1 : 0
          let below = cy < lastY ? stride : 0
          to[k] = AlignedFace.between(at[0], at[right], at[below], at[below + right], cx, cy)
          x &+= stepX
          y &+= stepY
        }
      }
    }
  }

  /// Whether the places of a row's columns all lie in `0..<last`.
  private static func stays(_ first: Int32, _ step: Int32, _ columns: Range<Int>, below last: Int32) -> Bool {
    let start = Int64(first) + Int64(step) * Int64(columns.lowerBound)
    let end = Int64(first) + Int64(step) * Int64(columns.upperBound - 1)
    return start >= 0 && start < Int64(last) && end >= 0 && end < Int64(last)
  }

  /// 16 bits behind the point; what is no number, or farther than photos are wide, is brought near.
  private static func fixed(_ value: Float) -> Int32 {
    value == value ? Int32((max(-16_000, min(16_000, value)) * 65_536).rounded()) : 0
  }

  @inline(__always)
  static func between(
    _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ x: Int32, _ y: Int32
  ) -> UInt8 {
    let (fx, fy) = ((x >> 8) & 255, (y >> 8) & 255)
    let (first, second): (Int32, Int32) = (Int32(b) &- Int32(a), Int32(d) &- Int32(c))
    let top: Int32 = (Int32(a) << 8) &+ first &* fx
    let bottom: Int32 = (Int32(c) << 8) &+ second &* fx
    let sum: Int32 = (top << 8) &+ (bottom &- top) &* fy
    return UInt8(truncatingIfNeeded: (sum &+ 32_768) >> 16)
  }
}

/// Rows and columns of a map.
struct PixelArea: Equatable {
  var rows: Range<Int>
  var columns: Range<Int>

  static let none = PixelArea(rows: 0..<0, columns: 0..<0)

  func contains(_ other: PixelArea) -> Bool {
    rows.lowerBound <= other.rows.lowerBound && rows.upperBound >= other.rows.upperBound
      && columns.lowerBound <= other.columns.lowerBound && columns.upperBound >= other.columns.upperBound
  }

  /// With so many more on each side as a map of this size has.
  func grown(by margin: Int, width: Int, height: Int) -> PixelArea {
    PixelArea(
      rows: max(0, rows.lowerBound - margin)..<min(height, rows.upperBound + margin),
      columns: max(0, columns.lowerBound - margin)..<min(width, columns.upperBound + margin))
  }

  /// The least area that holds both.
  func joined(_ other: PixelArea) -> PixelArea {
    if rows.isEmpty { return other }
    return PixelArea(
      rows: min(rows.lowerBound, other.rows.lowerBound)..<max(rows.upperBound, other.rows.upperBound),
      columns: min(columns.lowerBound, other.columns.lowerBound)..<max(columns.upperBound, other.columns.upperBound))
  }
}
