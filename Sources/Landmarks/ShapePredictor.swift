import Execution
import Geometry
import Imaging

/// A trained landmark fitter: a cascade of forests that moves the mean shape onto a face (Kazemi and Sullivan 2014).
///
/// Shapes live in the face box's own units: (0, 0) is the centre of the box's top left pixel and (1, 1) the centre of
/// its bottom right one, which is dlib's rule. Pixels are taken unsmoothed (the pixel that the point falls in).
///
/// Left and right, the order and the meaning of points are those of the training data; see `LandmarkLayout`.
public struct ShapePredictor: Hashable, Sendable {
  /// What a pixel outside the photo (or the held crop) counts as.
  public enum Border: String, NamedChoice, Hashable, Sendable {
    /// Black: dlib's rule.
    case zero
    /// The nearest pixel inside.
    case replicate
  }

  /// How the leaves' changes are to be read.
  public enum ChangeFrame: String, NamedChoice, Hashable, Sendable {
    /// In the face box's axes and units: dlib's rule and the 2014 paper's text.
    case box
    /// In the mean shape's: turned and scaled with the current shape (Cao et al. 2012, Ren et al. 2014).
    case shape
  }

  /// x and y of each point in turn, in box units.
  public let meanShape: [Float]
  public let levels: [ShapeForest]
  /// Levels that see gradients, after the forests; none in dlib's.
  public let gradientLevels: [GradientLevel]
  public let border: Border
  public let changeFrame: ChangeFrame
  /// Larger boxes are first scaled down to this width, by area; `nil` never.
  public let largestBox: Int?
  /// How much of the photo is seen around the box, in box sides on each side; `nil` all of it.
  public let margin: Double?
  /// The name of its layout, for example "ibug68"; empty where it is not known.
  public let layout: String

  public init(
    meanShape: [Float], levels: [ShapeForest], gradientLevels: [GradientLevel] = [], border: Border,
    changeFrame: ChangeFrame, largestBox: Int? = nil,
    margin: Double? = nil, layout: String = ""
  ) {
    precondition(!meanShape.isEmpty && meanShape.count % 2 == 0, "a shape needs points")
    precondition(meanShape.count / 2 <= Int(UInt16.max), "too many points")
    for level in levels {
      precondition(level.pool.anchors.allSatisfy { Int($0) < meanShape.count / 2 }, "a pixel hangs on no point")
      precondition(
        level.basis.isEmpty ? level.width == meanShape.count : level.basis.count == level.width * meanShape.count,
        "leaves of another width")
    }
    self.meanShape = meanShape
    for level in gradientLevels {
      let seen = level.neighbours.isEmpty ? meanShape.count / 2 : 2 * level.neighbours.count / meanShape.count
      precondition(
        level.weights.count == level.reading.featureCount(points: seen) * level.width
          && level.neighbours.count % (meanShape.count / 2) == 0
          && (level.neighbours.isEmpty || level.basis.isEmpty)
          && level.neighbours.allSatisfy { Int($0) < meanShape.count / 2 }
          && (level.basis.isEmpty
            ? level.width == meanShape.count : level.basis.count == level.width * meanShape.count),
        "a gradient level of another size")
    }
    self.levels = levels
    for (level, before) in zip(gradientLevels.dropFirst(), gradientLevels) where !level.reading.alignsAnew {
      precondition(level.reading.reads(sameFaceAs: before.reading), "a level reads a face of another kind")
    }
    self.gradientLevels = gradientLevels
    self.border = border
    self.changeFrame = changeFrame
    self.largestBox = largestBox
    self.margin = margin
    self.layout = layout
  }

  public var pointCount: Int { meanShape.count / 2 }
}
