/// A multi-block local binary pattern: the mean of each of eight blocks around a middle block of the same size, compared
/// with the middle's (Liao et al. 2007).
///
/// The value is 0...255: the top left block gives the highest bit, and the others follow clockwise; a bit is set where the
/// block's sum is not less than the middle's.
public struct BlockPattern: Hashable, Sendable {
  /// Top left corner of the 3 x 3 blocks in the detection window, in pixels.
  public var x: Int
  public var y: Int
  /// Size of one block in pixels.
  public var blockWidth: Int
  public var blockHeight: Int

  public init(x: Int, y: Int, blockWidth: Int, blockHeight: Int) {
    self.x = x
    self.y = y
    self.blockWidth = blockWidth
    self.blockHeight = blockHeight
  }
}
