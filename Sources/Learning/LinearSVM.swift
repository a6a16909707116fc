import LinearAlgebra

/// A linear classifier: the score of a sample is `weights . sample + bias`, above 0 for the positive class.
public struct LinearSVM: Hashable, Codable, Sendable {
  public let weights: [Float]
  public let bias: Double

  public init(weights: [Float], bias: Double) {
    self.weights = weights
    self.bias = bias
  }

  /// - Parameter sample: as many features as weights.
  public func score(of sample: [Float]) -> Double {
    precondition(sample.count == weights.count, "\(sample.count) features for \(weights.count) weights")
    return Double(BLAS.dot(weights, sample)) + bias
  }

  /// - Parameter sample: `weights.count` features.
  public func score(of sample: UnsafePointer<Float>) -> Double {
    weights.withUnsafeBufferPointer { weights in
      guard let base = weights.baseAddress else { return bias }
      return Double(BLAS.dot(base, sample, count: weights.count)) + bias
    }
  }

  /// The scores of all samples, in order.
  public func scores(of samples: SampleMatrix) -> [Double] {
    samples.withView { scores(of: $0) }
  }

  /// The scores of the samples in a view, in order.
  public func scores(of samples: SampleView) -> [Double] {
    precondition(samples.dimension == weights.count, "\(samples.dimension) features for \(weights.count) weights")
    return (0..<samples.count).map { score(of: samples.row($0)) }
  }
}

/// A classifier with what its training found.
public struct TrainedLinearSVM: Hashable, Codable, Sendable {
  public let svm: LinearSVM
  /// One dual variable a sample, in the samples' order: 0 for those that do not matter. Keep those of the samples that
  /// stay, give new samples 0, and pass them as `warmStart` to the next round.
  public let dualVariables: [Double]
  public let report: LinearSVMReport

  public init(svm: LinearSVM, dualVariables: [Double], report: LinearSVMReport) {
    self.svm = svm
    self.dualVariables = dualVariables
    self.report = report
  }
}

/// How a training went.
public struct LinearSVMReport: Hashable, Codable, Sendable {
  /// Passes over the (active) samples.
  public var iterations: Int
  /// Whether the wanted gap (or, without one, the tolerance) was reached within the allowed passes.
  public var converged: Bool
  /// `|w|^2 / 2 + sum of C_i * loss_i`, the bias within w.
  public var primalObjective: Double
  /// The dual's value, never above the primal's but for rounding.
  public var dualObjective: Double
  /// Samples whose dual variable is above 0.
  public var supportVectorCount: Int
  /// Support vectors at their upper bound (hinge loss only): inside the margin or on the wrong side.
  public var boundedSupportVectorCount: Int

  /// The gap as a share of the primal objective.
  public var relativeGap: Double { dualityGap / primalObjective }

  /// `primal - dual`: how far the objective can be from the best one.
  public var dualityGap: Double { primalObjective - dualObjective }

  public init(
    iterations: Int, converged: Bool, primalObjective: Double, dualObjective: Double, supportVectorCount: Int,
    boundedSupportVectorCount: Int
  ) {
    self.iterations = iterations
    self.converged = converged
    self.primalObjective = primalObjective
    self.dualObjective = dualObjective
    self.supportVectorCount = supportVectorCount
    self.boundedSupportVectorCount = boundedSupportVectorCount
  }
}
