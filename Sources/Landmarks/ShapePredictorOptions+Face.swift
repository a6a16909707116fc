extension ShapePredictorOptions {
  /// What ships for faces: gradient levels alone, coarse ones first, the last two of each point's neighbours; chosen on
  /// held-out training faces of 300-W (Experiments/landmarks).
  public static var face: ShapePredictorOptions {
    var options = ShapePredictorOptions()
    options.levels = 0
    options.leaves = .globalRegression
    options.oversampling = 8
    options.start = .both
    options.startShift = 0.06
    options.startScale = 0.09
    options.startRotation = 8
    options.changeFrame = .shape
    options.border = .replicate
    // Of forests, where --set asks for some.
    options.localPool = 60
    options.ridge = 0.3
    options.regressionWidth = 48
    options.gradients = [
      Gradient(resolution: 30, cell: 5, grid: 3, ridge: 2, width: 32),
      Gradient(resolution: 40, cell: 5, grid: 3, ridge: 2, width: 32),
      Gradient(resolution: 60, cell: 3, grid: 4, ridge: 2),
      Gradient(resolution: 80, cell: 3, grid: 4, ridge: 1, neighbours: 20, robustness: 1),
      Gradient(resolution: 80, cell: 3, grid: 4, ridge: 1, neighbours: 12, robustness: 1, alignsAnew: false),
    ]
    options.seed = 1
    return options
  }
}
