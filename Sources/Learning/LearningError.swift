/// Samples, labels or options that nothing can be learnt from. Rows and columns count from 0.
public enum LearningError: Error, Hashable, Sendable, CustomStringConvertible {
  case noSamples
  /// Every sample of weight above 0 has the same label.
  case oneClassOnly(positives: Int, negatives: Int)
  /// A row has another length than the first.
  case rowSize(row: Int, found: Int, expected: Int)
  /// Two lists that belong together differ in length, for example labels and samples.
  case countMismatch(what: String, found: Int, expected: Int)
  /// A feature is infinite or not a number.
  case notFinite(row: Int, column: Int)
  /// A feature is beyond the range in which single-precision sums make sense.
  case tooLarge(row: Int, column: Int, limit: Float)
  /// A sample's weight is negative, infinite or not a number.
  case badWeight(row: Int)
  /// A score is infinite or not a number.
  case scoreNotFinite(index: Int)
  /// All scores are equal (to within rounding), so they say nothing about the labels.
  case constantScores(value: Double)
  /// Higher scores do not go with positive labels.
  case scoresDoNotSeparate
  case tooFewGroups(found: Int, folds: Int)
  /// After leaving out one fold, only one class remains to train on.
  case foldLacksAClass(fold: Int, positives: Int, negatives: Int)
  /// The chosen measure is undefined in every fold.
  case measureUndefined(measure: String)
  /// The weights or the objective that training ended with are infinite or not a number.
  case resultNotFinite(objective: Double)
  case badOption(name: String, found: String, expected: String)

  public var description: String {
    switch self {
    case .noSamples: "there are no samples to learn from"
    case .oneClassOnly(let positives, let negatives):
      "both classes are needed: found \(positives) positive and \(negatives) negative samples of weight above 0"
    case .rowSize(let row, let found, let expected):
      "sample \(row) has \(found) features, expected \(expected) as in the first"
    case .countMismatch(let what, let found, let expected): "\(what): found \(found), expected \(expected)"
    case .notFinite(let row, let column): "sample \(row), feature \(column) is infinite or not a number"
    case .tooLarge(let row, let column, let limit):
      "sample \(row), feature \(column) is beyond \(limit) in size; scale the features"
    case .badWeight(let row): "the weight of sample \(row) is not a finite number of 0 or more"
    case .scoreNotFinite(let index): "score \(index) is infinite or not a number"
    case .constantScores(let value): "all scores are \(value): no confidence can be fitted to them"
    case .scoresDoNotSeparate: "higher scores do not go with positive labels: no rising confidence fits them"
    case .tooFewGroups(let found, let folds):
      "\(folds) folds need at least \(folds) groups, found \(found); take fewer folds"
    case .foldLacksAClass(let fold, let positives, let negatives):
      "without fold \(fold), \(positives) positive and \(negatives) negative samples remain: both are needed; take "
        + "other folds"
    case .measureUndefined(let measure): "\(measure) is undefined in every fold: each lacks a class"
    case .resultNotFinite(let objective):
      "training ended with numbers that are not finite (objective \(objective)); lower the cost or scale the features"
    case .badOption(let name, let found, let expected): "\(name): found \(found), expected \(expected)"
    }
  }
}
