import Execution

/// The state of one training: dual variables, their bounds, and the weights that belong to them.
struct DualCoordinateDescent: ~Copyable {
  private let view: SampleView
  private let options: LinearSVMOptions
  /// Sample of each variable.
  private let rows: [Int]
  private let signs: [Double]
  /// Upper bound of each variable.
  private let bounds: [Double]
  /// What the squared loss adds to the diagonal of the dual's matrix; 0 for hinge.
  private let diagonals: [Double]
  /// The diagonal of the dual's matrix.
  private let curvatures: [Double]
  private var alphas: [Double]
  private var weights: DenseWeights

  init(
    view: SampleView, rows: [Int], labels: [Bool], sampleWeights: [Double]?, options: LinearSVMOptions,
    warmStart: [Double]?
  ) throws {
    self.view = view
    self.rows = rows
    self.options = options
    let bias = options.biasScale ?? 0
    signs = rows.map { labels[$0] ? 1 : -1 }
    let costs = rows.map { row in
      options.cost * (labels[row] ? options.positiveWeight : options.negativeWeight) * (sampleWeights?[row] ?? 1)
    }
    switch options.loss {
    case .hinge:
      bounds = costs
      diagonals = [Double](repeating: 0, count: rows.count)
    case .squaredHinge:
      bounds = [Double](repeating: .infinity, count: rows.count)
      diagonals = costs.map { 0.5 / $0 }
    }
    let limit = Double(LinearSVMTrainer.largestFeature)
    var curvatures: [Double] = []
    curvatures.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      let square = DenseWeights.squaredNorm(view.row(row), count: view.dimension)
      // An infinite value or none makes the sum so; only then is the row searched.
      if !(square <= limit * limit) {
        let values = UnsafeBufferPointer(start: view.row(row), count: view.dimension)
        if let column = values.firstIndex(where: { !$0.isFinite }) {
          throw LearningError.notFinite(row: row, column: column)
        }
        if let column = values.firstIndex(where: { abs($0) > LinearSVMTrainer.largestFeature }) {
          throw LearningError.tooLarge(row: row, column: column, limit: LinearSVMTrainer.largestFeature)
        }
      }
      curvatures.append(diagonals[index] + square + bias * bias)
    }
    self.curvatures = curvatures
    if let warmStart {
      let bounds = bounds
      alphas = rows.enumerated().map { index, row in min(max(warmStart[row], 0), bounds[index]) }
    } else {
      alphas = [Double](repeating: 0, count: rows.count)
    }
    weights = DenseWeights(dimension: view.dimension, biasScale: bias)
    if warmStart != nil { makeWeights() }
  }

  /// Makes the weights anew from the dual variables, in double precision.
  private mutating func makeWeights() {
    weights.clear()
    for index in rows.indices where alphas[index] != 0 {
      weights.addExactly(alphas[index] * signs[index], view.row(rows[index]))
    }
    weights.settle()
  }

  /// Passes until the tolerance and the gap are met on all samples or the passes are used up.
  mutating func run(using random: inout RandomStream, cancellation: Cancellation?) throws -> LinearSVMReport {
    var order = Array(rows.indices)
    var active = order.count
    var upper = Double.infinity
    var lower = -Double.infinity
    var tolerance = options.tolerance
    for iteration in 1...options.maximumIterations {
      try cancellation?.check()
      for place in 0..<active { order.swapAt(place, place + random.index(below: active - place)) }
      let (largest, smallest) = pass(&order, &active, upper: upper, lower: lower)
      guard largest - smallest <= tolerance else {
        upper = largest > 0 ? largest : .infinity
        lower = smallest < 0 ? smallest : -.infinity
        continue
      }
      if active == order.count {
        var report = evaluate(iterations: iteration)
        if report.relativeGap <= options.relativeGap ?? .infinity {
          report.converged = true
          return report
        }
        tolerance /= 4
      } else if !weights.isDouble {
        makeWeights()
      }
      active = order.count
      upper = .infinity
      lower = -.infinity
    }
    var report = evaluate(iterations: options.maximumIterations)
    if let relativeGap = options.relativeGap { report.converged = report.relativeGap <= relativeGap }
    return report
  }

  /// One visit of each active sample; gives the largest and smallest projected gradient met.
  private mutating func pass(
    _ order: inout [Int], _ active: inout Int, upper: Double, lower: Double
  ) -> (Double, Double) {
    let shrinking = options.shrinking
    var largest = -Double.infinity
    var smallest = Double.infinity
    var place = 0
    while place < active {
      let index = order[place]
      let row = view.row(rows[index])
      let sign = signs[index]
      let bound = bounds[index]
      let alpha = alphas[index]
      let gradient = sign * weights.score(row) - 1 + alpha * diagonals[index]
      var projected = gradient
      if alpha <= 0 {
        if shrinking, gradient > upper {
          active -= 1
          order.swapAt(place, active)
          continue
        }
        projected = min(gradient, 0)
      } else if alpha >= bound {
        if shrinking, gradient < lower {
          active -= 1
          order.swapAt(place, active)
          continue
        }
        projected = max(gradient, 0)
      }
      largest = max(largest, projected)
      smallest = min(smallest, projected)
      if abs(projected) > 1e-12 {
        // A sample of zeros without bias has no curvature: the best value lies at the bound its gradient points to.
        let curvature = curvatures[index]
        let best = curvature > 0 ? alpha - gradient / curvature : (gradient < 0 ? bound : 0)
        let next = min(max(best, 0), bound)
        alphas[index] = next
        weights.add((next - alpha) * sign, row)
      }
      place += 1
    }
    return active == 0 && largest < smallest ? (0, 0) : (largest, smallest)
  }

  /// The objectives of weights made anew.
  private mutating func evaluate(iterations: Int) -> LinearSVMReport {
    makeWeights()
    let square = weights.squaredLength()
    var loss = 0.0
    var dual = -0.5 * square
    var support = 0
    var bounded = 0
    for index in rows.indices {
      let slack = max(0, 1 - signs[index] * weights.exactScore(view.row(rows[index])))
      switch options.loss {
      case .hinge: loss += bounds[index] * slack
      case .squaredHinge: loss += 0.5 / diagonals[index] * slack * slack
      }
      let alpha = alphas[index]
      dual += alpha - 0.5 * diagonals[index] * alpha * alpha
      if alpha > 0 { support += 1 }
      if alpha >= bounds[index] { bounded += 1 }
    }
    return LinearSVMReport(
      iterations: iterations, converged: false, primalObjective: 0.5 * square + loss, dualObjective: dual,
      supportVectorCount: support, boundedSupportVectorCount: bounded)
  }

  /// The classifier of the weights last evaluated.
  func result(_ report: LinearSVMReport) -> TrainedLinearSVM {
    var all = [Double](repeating: 0, count: view.count)
    for index in rows.indices { all[rows[index]] = alphas[index] }
    return TrainedLinearSVM(svm: weights.classifier(), dualVariables: all, report: report)
  }
}
