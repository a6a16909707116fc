import Execution

/// The state of one training: dual variables, their bounds, and the weights that belong to them.
struct DualCoordinateDescent: ~Copyable {
  /// One sample's part of the dual, all that a visit reads in one place.
  private struct Variable {
    var row: UnsafePointer<Float>
    var sign: Double
    var alpha: Double
    /// Upper bound of alpha.
    var bound: Double
    /// What the squared loss adds to the diagonal of the dual's matrix; 0 for hinge.
    var diagonal: Double
    /// The diagonal of the dual's matrix.
    var curvature: Double
    /// Its place in the view.
    var sample: Int
  }

  private let sampleCount: Int
  private let options: LinearSVMOptions
  private var variables: [Variable]
  private var weights: DenseWeights

  init(
    view: SampleView, rows: [Int], labels: [Bool], sampleWeights: [Double]?, options: LinearSVMOptions,
    warmStart: [Double]?
  ) throws {
    sampleCount = view.count
    self.options = options
    let bias = options.biasScale ?? 0
    let limit = Double(LinearSVMTrainer.largestFeature)
    variables = []
    variables.reserveCapacity(rows.count)
    for row in rows {
      let cost =
        options.cost * (labels[row] ? options.positiveWeight : options.negativeWeight) * (sampleWeights?[row] ?? 1)
      let bound = options.loss == .hinge ? cost : .infinity
      let diagonal = options.loss == .hinge ? 0 : 0.5 / cost
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
      variables.append(
        Variable(
          row: view.row(row), sign: labels[row] ? 1 : -1, alpha: min(max(warmStart?[row] ?? 0, 0), bound), bound: bound,
          diagonal: diagonal, curvature: diagonal + square + bias * bias, sample: row))
    }
    weights = DenseWeights(dimension: view.dimension, biasScale: bias)
    if warmStart != nil { makeWeights() }
  }

  /// Makes the weights anew from the dual variables, in double precision.
  private mutating func makeWeights() {
    weights.clear()
    for variable in variables where variable.alpha != 0 {
      weights.addExactly(variable.alpha * variable.sign, variable.row)
    }
    weights.settle()
  }

  /// Passes until the tolerance and the gap are met on all samples or the passes are used up.
  mutating func run(using random: inout RandomStream, cancellation: Cancellation?) throws -> LinearSVMReport {
    var order = Array(variables.indices)
    var active = order.count
    var upper = Double.infinity
    var lower = -Double.infinity
    var tolerance = options.tolerance
    for iteration in 1...options.maximumIterations {
      try cancellation?.check()
      for place in 0..<active { order.swapAt(place, place + random.index(below: active - place)) }
      let (largest, smallest) = variables.withUnsafeMutableBufferPointer { variables in
        order.withUnsafeMutableBufferPointer { order in
          DualCoordinateDescent.pass(
            variables.baseAddress.unsafelyUnwrapped, order.baseAddress.unsafelyUnwrapped, &active, &weights,
            upper: upper, lower: lower, shrinking: options.shrinking)
        }
      }
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
  private static func pass(
    _ variables: UnsafeMutablePointer<Variable>, _ order: UnsafeMutablePointer<Int>, _ active: inout Int,
    _ weights: inout DenseWeights, upper: Double, lower: Double, shrinking: Bool
  ) -> (Double, Double) {
    var largest = -Double.infinity
    var smallest = Double.infinity
    var place = 0
    while place < active {
      let index = order[place]
      let variable = variables[index]
      let alpha = variable.alpha
      let gradient = variable.sign * weights.score(variable.row) - 1 + alpha * variable.diagonal
      var projected = gradient
      if alpha <= 0 {
        if shrinking, gradient > upper {
          active -= 1
          order[place] = order[active]
          order[active] = index
          continue
        }
        projected = min(gradient, 0)
      } else if alpha >= variable.bound {
        if shrinking, gradient < lower {
          active -= 1
          order[place] = order[active]
          order[active] = index
          continue
        }
        projected = max(gradient, 0)
      }
      largest = max(largest, projected)
      smallest = min(smallest, projected)
      if abs(projected) > 1e-12 {
        // A sample of zeros without bias has no curvature: the best value lies at the bound its gradient points to.
        let best =
          variable.curvature > 0 ? alpha - gradient / variable.curvature : (gradient < 0 ? variable.bound : 0)
        let next = min(max(best, 0), variable.bound)
        variables[index].alpha = next
        weights.add((next - alpha) * variable.sign, variable.row)
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
    for variable in variables {
      let slack = max(0, 1 - variable.sign * weights.exactScore(variable.row))
      switch options.loss {
      case .hinge: loss += variable.bound * slack
      case .squaredHinge: loss += 0.5 / variable.diagonal * slack * slack
      }
      dual += variable.alpha - 0.5 * variable.diagonal * variable.alpha * variable.alpha
      if variable.alpha > 0 { support += 1 }
      if variable.alpha >= variable.bound { bounded += 1 }
    }
    return LinearSVMReport(
      iterations: iterations, converged: false, primalObjective: 0.5 * square + loss, dualObjective: dual,
      supportVectorCount: support, boundedSupportVectorCount: bounded)
  }

  /// The classifier of the weights last evaluated.
  func result(_ report: LinearSVMReport) -> TrainedLinearSVM {
    var all = [Double](repeating: 0, count: sampleCount)
    for variable in variables { all[variable.sample] = variable.alpha }
    return TrainedLinearSVM(svm: weights.classifier(), dualVariables: all, report: report)
  }
}
