import Foundation
import Imaging

/// The slow, obvious form of pattern histograms in double precision, written from the rules in `PatternedHOG`.
public enum PatternOracle {
  /// Neighbours in the order of a code's bits.
  static let neighbours = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]

  /// Uniform patterns in the order of their codes, found by walking around and counting changes.
  static let uniform: [[Bool]] = (0..<256).map { code in (0..<8).map { code & (1 << $0) != 0 } }
    .filter { bits in (0..<8).filter { bits[$0] != bits[($0 + 1) % 8] }.count <= 2 }

  /// The 59 values of each cell, `[row][column][bin]`.
  public static func cells(_ image: ByteImage, cellSize: Int, norm: Double) -> [[[Double]]] {
    let rows = Int((Double(image.height) / Double(cellSize) + 0.5).rounded(.down))
    let columns = Int((Double(image.width) / Double(cellSize) + 0.5).rounded(.down))
    let grey = image.grey()
    func at(_ x: Int, _ y: Int) -> UInt8 { grey.pixels[y * grey.width + x] }
    var cells = [[[Double]]](
      repeating: [[Double]](repeating: [Double](repeating: 0, count: 59), count: columns), count: rows)
    for y in 1..<max(1, min(image.height, rows * cellSize) - 1) {
      for x in 1..<max(1, min(image.width, columns * cellSize) - 1) {
        let bits = neighbours.map { at(x + $0.0, y + $0.1) >= at(x, y) }
        let bin = uniform.firstIndex(of: bits) ?? 58
        for row in 0..<rows {
          for column in 0..<columns {
            let down = abs((Double(y) + 0.5) / Double(cellSize) - (Double(row) + 0.5))
            let across = abs((Double(x) + 0.5) / Double(cellSize) - (Double(column) + 0.5))
            if down < 1 && across < 1 { cells[row][column][bin] += (1 - down) * (1 - across) }
          }
        }
      }
    }
    return cells.map { row in
      row.map { bins in
        let sum = bins.reduce(0, +)
        return bins.map { sum > 0 ? norm * ($0 / sum).squareRoot() : 0 }
      }
    }
  }
}
