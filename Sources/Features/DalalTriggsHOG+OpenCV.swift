import Geometry

extension DalalTriggsHOG {
  /// For each value of a window's descriptor in this module's order, its place in OpenCV's.
  ///
  /// OpenCV writes a window's blocks column by column, a block's cells column by column, and a cell's bins side by
  /// side. This module writes blocks row by row and, in a block, bins slowest and cells row by row.
  ///
  /// - Parameter window: pixels; whole blocks in it count.
  /// - Returns: `rows * columns * channelCount` places.
  public func openCVPlaces(window: PixelSize) -> [Int] {
    let size = mapSize(for: window)
    var places: [Int] = []
    places.reserveCapacity(size.count * channelCount)
    for row in 0..<size.rows {
      for column in 0..<size.columns {
        let block = (column * size.rows + row) * channelCount
        for bin in 0..<binCount {
          for cellRow in 0..<blockCells {
            for cellColumn in 0..<blockCells {
              places.append(block + (cellColumn * blockCells + cellRow) * binCount + bin)
            }
          }
        }
      }
    }
    return places
  }

  /// The weights of an OpenCV linear detector (`HOGDescriptor.setSVMDetector`) as a filter over the block map.
  ///
  /// - Parameters:
  ///   - vector: a weight for each descriptor value in OpenCV's order. A last, extra value (the bias) is left to the
  ///     caller.
  ///   - window: the detection window in pixels.
  /// - Returns: `rows * columns * channelCount` weights: channel fastest, then column, then row.
  /// - Precondition: `vector` holds as many values as the window's descriptor.
  public func filter(fromOpenCV vector: [Float], window: PixelSize) -> [Float] {
    let places = openCVPlaces(window: window)
    precondition(vector.count == places.count, "\(places.count) weights expected, got \(vector.count)")
    return places.map { vector[$0] }
  }

  /// The inverse of `filter(fromOpenCV:window:)`: a filter or descriptor of this module in OpenCV's order.
  public func openCVVector(from filter: [Float], window: PixelSize) -> [Float] {
    let places = openCVPlaces(window: window)
    precondition(filter.count == places.count, "\(places.count) weights expected, got \(filter.count)")
    var vector = [Float](repeating: 0, count: filter.count)
    for (index, place) in places.enumerated() { vector[place] = filter[index] }
    return vector
  }
}
