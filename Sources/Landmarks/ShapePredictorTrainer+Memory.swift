import Execution

extension ShapePredictorTrainer {
  /// A bound on the bytes that a training takes beside the photos' crops (`LandmarkFace.byteCount` each), from sizes alone.
  ///
  /// Counted are the samples' shapes and residuals, the pixels and scores of a level, the sums that splits are chosen by, the
  /// regressions' matrices, the model itself and one copy of it for a checkpoint. The program's own tens of megabytes and
  /// what the allocator keeps are not.
  /// - Parameters:
  ///   - faces: mirrors counted.
  ///   - validationFaces: those measured after each level.
  ///   - hasAbsent: whether a face lacks a point: then all coordinates are scored.
  /// - Returns: as `Double`, for options can ask for more than a word counts.
  public func memoryBound(faces: Int, validationFaces: Int = 0, points: Int, hasAbsent: Bool = false) -> Double {
    let samples = Double(faces) * Double(options.oversampling)
    let values = 2 * Double(points)
    let threads = Double(executor.threadCount)
    // Current shape and residual of each sample; the target of each face.
    var bytes =
      samples * 8 * values + Double(faces + validationFaces) * 4 * values + Double(validationFaces) * 8 * values
    let width = options.regressionWidth == 0 ? values : min(values, Double(options.regressionWidth))
    let leaves: Double
    let splits: Double
    let leafWidth: Double
    switch options.leaves {
    case .boosted:
      let scored =
        options.scoringWidth == 0 || hasAbsent ? values : min(values, Double((options.scoringWidth + 7) / 8 * 8))
      let pool = Double(options.poolSize)
      let nodes = Double(1 << (options.depth - 1))
      let parts = max(1, min(16, samples / 2048))
      bytes += samples * (pool + 4 * scored + 2) + 4 * pool * pool
      bytes += (parts + min(parts, threads) * 8) * nodes * Double(options.splitTests + 1) * 4 * scored
      bytes += parts * 2 * nodes * values * 8
      leaves = Double(options.levels * options.trees) * Double(1 << options.depth)
      splits = leaves
      leafWidth = values
    case .globalRegression:
      let trees = Double(points) * Double(options.localTrees)
      let perTree = Double(1 << options.localDepth)
      bytes += samples * (threads * Double(options.localPool) + 2 * trees + 4 * width)
      bytes += threads * (samples * 136 + trees * perTree * 64) + trees * perTree * 64 * (width / 16 + 1)
      leaves = Double(options.levels) * trees * perTree
      splits = leaves
      leafWidth = width
    }
    var model = leaves * 4 * leafWidth + splits * 6
    var largest = 0.0
    for gradient in options.gradients {
      let features = Double(gradient.reading.featureCount(points: points))
      let width = gradient.width == 0 ? values : min(values, Double(gradient.width))
      // Single precision sums, two copies in double precision while they are solved, and a chunk of samples.
      if gradient.neighbours > 0 {
        // Each thread solves a point of its own.
        let seen = features * min(1, Double(gradient.neighbours) / Double(points))
        let solved = threads * seen * seen * 24 + values * seen * 8
        largest = max(largest, features * features * 4 + 1024 * features * 4 + features * values * 8 + solved)
        model += seen * values * 4
        continue
      }
      largest = max(largest, features * features * 20 + 1024 * features * 4 + features * width * 24)
      model += features * width * 4
    }
    // Beside them where each sample's face was aligned to.
    if !options.gradients.isEmpty { bytes += largest + samples * 16 + Double(validationFaces) * 16 }
    return bytes + 2 * model
  }

  /// - Throws: `InputError` where options and points do not go together, before anything is taken for them.
  func checkSizes(points: Int) throws {
    if options.leaves == .globalRegression, points * options.localPool > 65_535 {
      throw InputError(
        source: "landmark options", field: "localPool", problem: "is too large for so many points",
        found: "\(options.localPool) pixels for each of \(points) points", expected: "65535 pixels in all at most")
    }
    // The pool lies in the mean shape's box: of one point all its pixels would be one, and no difference tells anything.
    if options.leaves == .boosted, options.levels > 0, points == 1, options.poolPadding == 0 {
      throw InputError(
        source: "landmark options", field: "poolPadding", problem: "leaves nothing to learn from around a single point",
        found: "0", expected: "box sides around the point within which pixels are compared",
        hint: "--set poolPadding=0.3, for example")
    }
  }
}
