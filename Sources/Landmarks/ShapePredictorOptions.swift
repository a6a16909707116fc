import Execution

/// How a landmark fitter is trained. The defaults are those of dlib's trainer but for `thresholdsFromSamples` and
/// `scoringWidth`; its files can hold the result.
public struct ShapePredictorOptions: Hashable, Codable, Sendable {
  /// Forests of the cascade.
  public var levels = 10
  /// Trees of a level.
  public var trees = 500
  /// Splits from the root to a leaf.
  public var depth = 4
  /// Shrinkage: the share of the mean residual that a leaf takes.
  public var shrinkage = 0.1
  /// Samples of each face: different starts of the same photo.
  public var oversampling = 20
  /// Pixels of a level's pool.
  public var poolSize = 400
  /// How far the pool's pixels may lie outside the mean shape's box, in box units (negative: inside only).
  public var poolPadding = 0.0
  /// Random splits tried at a node.
  public var splitTests = 20
  /// Scale of the prior on the distance of a split's two pixels, in box units: accepted with `exp(-distance / this)`.
  public var pixelDistance = 0.1
  /// Where samples start from.
  public var start = Start.mixtures
  /// Spread of `jitter` starts: standard deviations of shift (box sides), of log scale, and of rotation (degrees).
  public var startShift = 0.05
  public var startScale = 0.08
  public var startRotation = 5.0
  /// Leaves' changes in the box's frame or the mean shape's.
  public var changeFrame = ShapePredictor.ChangeFrame.box
  /// What a pixel outside counts as.
  public var border = ShapePredictor.Border.zero
  /// Residuals are scored by this many of their principal coordinates while splits are chosen; leaves take all. 0, or absent
  /// points: all.
  public var scoringWidth = 32
  /// Thresholds are differences that a random sample shows, rather than even in -64..<64 (dlib). On 300-W's validation faces
  /// these err less (Experiments/landmarks), and dlib's files hold either.
  public var thresholdsFromSamples = true
  /// How the leaves of a level are found.
  public var leaves = Leaves.boosted

  /// Settings of `globalRegression` levels.
  public var localTrees = 8
  public var localDepth = 5
  public var localTests = 100
  public var localPool = 200
  /// Radius, in box units, that a landmark's pixels lie in: at the first level and at the last (in between by equal ratios).
  public var localRadiusFirst = 0.25
  public var localRadiusLast = 0.05
  /// Ridge on the global regression, a share of the samples' number.
  public var ridge = 0.001
  public var regressionPasses = 8
  /// Outputs of the regression: principal coordinates of the residuals. 0: the points themselves.
  public var regressionWidth = 64
  /// Levels that see gradients, after the forests.
  public var gradients: [Gradient] = []
  public var seed: UInt64 = 0

  public init() {}

  /// Where a sample starts.
  public enum Start: String, NamedChoice, Hashable, Sendable {
    /// The mean shape first, then random averages of two other faces' shapes (dlib).
    case mixtures
    /// The mean shape, then the mean shape shifted, scaled and turned as face boxes are.
    case jitter
    /// Averages of two shapes, shifted, scaled and turned.
    case both
  }

  /// One level that sees gradients; see `GradientLevel`.
  public struct Gradient: Hashable, Codable, Sendable {
    /// Pixels of the aligned face to a box unit.
    public var resolution = 60.0
    /// Side of a cell in these pixels, odd, and cells a side of a landmark's grid.
    public var cell = 3
    public var grid = 4
    /// Ridge as a share of the features' mean variance sum.
    public var ridge = 6.0
    /// Outputs: principal coordinates of the residuals; 0: the points themselves.
    public var width = 48
    /// Where this is not 0, each point's change is learnt from what is seen around so many points alone, those nearest to it
    /// in the mean shape, itself among them, in place of `width` coordinates from all points. Fewer weights than faces
    /// can tell apart err less on new faces, once the shape is near; shapes that are far off want all points.
    public var neighbours = 0
    /// How much less a sample counts the farther it is from its face: its weight is the inverse of its error (the root of
    /// the squares' sum over points, in box units, 0.2 at least) to this power. 0: all alike. 1 comes near to least
    /// distances, which the mean error measures, in place of least squares.
    public var robustness = 0.0
    /// Whether the face is aligned anew to the shape, or the level before's is read again.
    public var alignsAnew = true

    public init(
      resolution: Double = 60, cell: Int = 3, grid: Int = 4, ridge: Double = 6, width: Int = 48,
      neighbours: Int = 0, robustness: Double = 0, alignsAnew: Bool = true
    ) {
      self.resolution = resolution
      self.cell = cell
      self.grid = grid
      self.ridge = ridge
      self.width = width
      self.neighbours = neighbours
      self.robustness = robustness
      self.alignsAnew = alignsAnew
    }

    /// Keys that are left out take the values above.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      resolution = try values.decodeIfPresent(Double.self, forKey: .resolution) ?? resolution
      cell = try values.decodeIfPresent(Int.self, forKey: .cell) ?? cell
      grid = try values.decodeIfPresent(Int.self, forKey: .grid) ?? grid
      ridge = try values.decodeIfPresent(Double.self, forKey: .ridge) ?? ridge
      width = try values.decodeIfPresent(Int.self, forKey: .width) ?? width
      neighbours = try values.decodeIfPresent(Int.self, forKey: .neighbours) ?? neighbours
      robustness = try values.decodeIfPresent(Double.self, forKey: .robustness) ?? robustness
      alignsAnew = try values.decodeIfPresent(Bool.self, forKey: .alignsAnew) ?? alignsAnew
    }

    /// - Precondition: `validate()` has passed.
    var reading: GradientLevel.Reading {
      GradientLevel.Reading(resolution: resolution, cell: cell, grid: grid, alignsAnew: alignsAnew)
    }
  }

  public enum Leaves: String, NamedChoice, Hashable, Sendable {
    /// Gradient boosting, tree after tree (Kazemi and Sullivan 2014).
    case boosted
    /// Trees for each landmark alone, then one linear regression of all leaves of a level (Ren et al. 2014).
    case globalRegression
  }

  /// - Throws: `InputError` naming the option that cannot be.
  public func validate() throws {
    func check(_ holds: Bool, _ field: String, _ found: Any, _ expected: String) throws {
      if holds { return }
      throw InputError(
        source: "landmark options", field: field, problem: "out of range", found: "\(found)", expected: expected)
    }
    try check((0...100).contains(levels), "levels", levels, "0 to 100")
    try check((1...100_000).contains(trees), "trees", trees, "1 to 100000")
    try check((1...8).contains(depth), "depth", depth, "1 to 8")
    try check(shrinkage > 0 && shrinkage <= 1, "shrinkage", shrinkage, "above 0, at most 1")
    try check((1...10_000).contains(oversampling), "oversampling", oversampling, "1 to 10000")
    try check((2...65_535).contains(poolSize), "poolSize", poolSize, "2 to 65535")
    try check(poolPadding > -0.5 && poolPadding < 5, "poolPadding", poolPadding, "above -0.5, below 5")
    try check((1...60).contains(splitTests), "splitTests", splitTests, "1 to 60")
    try check(pixelDistance > 0 && pixelDistance < 1e6, "pixelDistance", pixelDistance, "above 0, below 1e6")
    try check(startShift >= 0 && startShift < 1, "startShift", startShift, "0 to below 1")
    try check(startScale >= 0 && startScale < 1, "startScale", startScale, "0 to below 1")
    try check(startRotation >= 0 && startRotation < 180, "startRotation", startRotation, "0 to below 180 degrees")
    try check((0...4000).contains(scoringWidth), "scoringWidth", scoringWidth, "0 (all) to 4000")
    try check((1...1000).contains(localTrees), "localTrees", localTrees, "1 to 1000")
    try check((1...8).contains(localDepth), "localDepth", localDepth, "1 to 8")
    try check((1...10_000).contains(localTests), "localTests", localTests, "1 to 10000")
    try check((2...900).contains(localPool), "localPool", localPool, "2 to 900")
    for (name, radius) in [("localRadiusFirst", localRadiusFirst), ("localRadiusLast", localRadiusLast)] {
      try check(radius > 0 && radius <= 10, name, radius, "above 0, at most 10")
    }
    try check(ridge >= 0 && ridge <= 1e6, "ridge", ridge, "0 to 1e6")
    try check((0...4000).contains(regressionWidth), "regressionWidth", regressionWidth, "0 (all) to 4000")
    try check(gradients.count <= 20, "gradients", gradients.count, "20 levels at most")
    try check(levels + gradients.count > 0, "levels", levels, "1 or more where there are no gradients")
    for (index, gradient) in gradients.enumerated() {
      let name = "gradients[\(index)]"
      try check((10...400).contains(gradient.resolution), "\(name).resolution", gradient.resolution, "10 to 400")
      try check(
        GradientLevel.Reading.isCell(gradient.cell), "\(name).cell", gradient.cell,
        "odd, 1 to \(GradientLevel.Reading.largestCell)")
      try check((1...8).contains(gradient.grid), "\(name).grid", gradient.grid, "1 to 8")
      try check(gradient.ridge >= 0 && gradient.ridge <= 1e6, "\(name).ridge", gradient.ridge, "0 to 1e6")
      try check((0...4000).contains(gradient.width), "\(name).width", gradient.width, "0 to 4000")
      try check((0...2000).contains(gradient.neighbours), "\(name).neighbours", gradient.neighbours, "0 (all) to 2000")
      try check((0...4).contains(gradient.robustness), "\(name).robustness", gradient.robustness, "0 to 4")
      try check(
        gradient.alignsAnew || index > 0 && gradients[index - 1].reading.reads(sameFaceAs: gradient.reading),
        "\(name).alignsAnew", false, "true where resolution, cell or grid are others than those of the level before")
    }
    try check((1...1000).contains(regressionPasses), "regressionPasses", regressionPasses, "1 to 1000")
  }
}
