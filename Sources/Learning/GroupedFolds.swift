import Execution

/// Samples divided into folds so that no group (a photo with its mirror, a person) is in two of them.
public struct GroupedFolds: Hashable, Codable, Sendable {
  public let foldCount: Int
  /// The fold of each sample, 0..<foldCount.
  public let assignment: [Int]

  /// Gives each group, those with the most positives first and equals in an order drawn from `random`, to the fold with the
  /// fewest positives, then the fewest samples, then the lowest number.
  ///
  /// - Parameters:
  ///   - groups: a group name a sample; mirrors and jittered copies carry their photo's name.
  ///   - labels: true for positive.
  ///   - foldCount: 2 or more.
  /// - Throws: `LearningError.tooFewGroups`, `.countMismatch`, `.noSamples`, `.badOption`.
  public init(groups: [String], labels: [Bool], foldCount: Int, using random: inout RandomStream) throws {
    guard groups.count == labels.count else {
      throw LearningError.countMismatch(what: "labels", found: labels.count, expected: groups.count)
    }
    guard foldCount >= 2 else {
      throw LearningError.badOption(name: "folds", found: "\(foldCount)", expected: "2 or more")
    }
    if groups.isEmpty { throw LearningError.noSamples }
    var numbers: [String: Int] = [:]
    var positives: [Int] = []
    var totals: [Int] = []
    let numbered = groups.indices.map { index -> Int in
      let number = numbers[groups[index]] ?? totals.count
      if number == totals.count {
        numbers[groups[index]] = number
        positives.append(0)
        totals.append(0)
      }
      totals[number] += 1
      if labels[index] { positives[number] += 1 }
      return number
    }
    guard totals.count >= foldCount else {
      throw LearningError.tooFewGroups(found: totals.count, folds: foldCount)
    }
    var order = Array(totals.indices)
    random.shuffle(&order)
    let drawn = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    order.sort { (-positives[$0], -totals[$0], drawn[$0]!) < (-positives[$1], -totals[$1], drawn[$1]!) }
    var foldPositives = [Int](repeating: 0, count: foldCount)
    var foldTotals = [Int](repeating: 0, count: foldCount)
    var folds = [Int](repeating: 0, count: totals.count)
    for group in order {
      let fold = (0..<foldCount).min {
        (foldPositives[$0], foldTotals[$0], $0) < (foldPositives[$1], foldTotals[$1], $1)
      }!
      folds[group] = fold
      foldPositives[fold] += positives[group]
      foldTotals[fold] += totals[group]
    }
    self.foldCount = foldCount
    assignment = numbered.map { folds[$0] }
  }

  /// The samples outside a fold, rising.
  public func trainingRows(_ fold: Int) -> [Int] {
    precondition(fold >= 0 && fold < foldCount, "fold \(fold) of \(foldCount)")
    return assignment.indices.filter { assignment[$0] != fold }
  }

  /// The samples in a fold, rising.
  public func validationRows(_ fold: Int) -> [Int] {
    precondition(fold >= 0 && fold < foldCount, "fold \(fold) of \(foldCount)")
    return assignment.indices.filter { assignment[$0] == fold }
  }
}
