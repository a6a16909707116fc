import Geometry

#if canImport(Glibc)
  import Glibc
#endif

/// Finds the boxes that may touch a given one: a grid of box centres for each octave of box sizes.
struct BoxGrid {
  private struct Cell: Hashable {
    var column: Int
    var row: Int
  }

  private struct Level {
    /// Side of a grid cell in pixels: more than the longer side of any box within.
    let side: Double
    var cells: [Cell: [Int]] = [:]
    var ranks: [Int] = []
  }

  private var levels: [Int: Level] = [:]
  /// Kept sorted, so that visits are in one order.
  private var octaves: [Int] = []

  /// - Parameter rank: what ``visit(near:_:)`` gives back for this box.
  mutating func insert(_ box: Box, rank: Int) {
    let octave = BoxGrid.octave(of: box)
    let side = scalbn(1, Int32(octave + 1))
    let cell = BoxGrid.cell(box.center, side)
    if levels[octave] == nil {
      levels[octave] = Level(side: side)
      octaves.append(octave)
      octaves.sort()
    }
    levels[octave]!.cells[cell, default: []].append(rank)
    levels[octave]!.ranks.append(rank)
  }

  /// Calls `body` for every inserted box that shares area with `box`, and for some others.
  ///
  /// - Complexity: O(grid cells that the box covers), or O(boxes) of an octave where that is less.
  func visit(near box: Box, _ body: (Int) -> Void) {
    for octave in octaves {
      let level = levels[octave]!
      // A box of this octave that shares area with ours has its centre within half a grid cell of our sides.
      let reach = level.side / 2
      let first = BoxGrid.cell(Point(x: box.x - reach, y: box.y - reach), level.side)
      let last = BoxGrid.cell(Point(x: box.maxX + reach, y: box.maxY + reach), level.side)
      let covered = Double(last.column - first.column + 1) * Double(last.row - first.row + 1)
      if covered > Double(level.ranks.count) {
        for rank in level.ranks { body(rank) }
        continue
      }
      for row in first.row...last.row {
        for column in first.column...last.column {
          guard let ranks = level.cells[Cell(column: column, row: row)] else { continue }
          for rank in ranks { body(rank) }
        }
      }
    }
  }

  private static func octave(of box: Box) -> Int {
    let longer = max(box.width, box.height)
    // Empty boxes share no area with anything: any octave serves.
    guard longer > 0, longer.isFinite else { return -64 }
    return max(-64, min(64, Int(logb(longer))))
  }

  private static func cell(_ point: Point, _ side: Double) -> Cell {
    // Far beyond any image the place no longer matters, but the conversion must not trap.
    let bound = 0x1p52
    return Cell(
      column: Int(max(-bound, min(bound, floor(point.x / side)))),
      row: Int(max(-bound, min(bound, floor(point.y / side)))))
  }
}
