import Execution
import Learning

/// What a training holds between rounds. Lists have an entry a component; those of mirror images stay empty.
struct TrainingState: Sendable {
  /// What the last search for negatives found.
  struct Mined: Hashable, Sendable, Codable {
    var new = 0
    var dropped = 0
    var scanned = 0
    var falsePositives = 0
  }

  /// Positives first, then a negative for each key.
  var samples: [SampleMatrix]
  var positiveCounts: [Int]
  var keys: [[WindowKey]]
  var capacity: [Int]
  /// A dual variable for each sample that the last training saw.
  var duals: [[Double]]
  var models: [LinearSVM?]
  var mined: [Mined]
  var report = HOGTrainingReport()

  init(positives: [SampleMatrix], capacity: [Int]) {
    samples = positives
    positiveCounts = positives.map(\.count)
    keys = positives.map { _ in [] }
    self.capacity = capacity
    duals = positives.map { _ in [] }
    models = positives.map { _ in nil }
    mined = positives.map { _ in Mined() }
  }

  /// Takes memory for negatives at once, as growing bit by bit would hold old and new memory again and again: no more than
  /// they need, nor than the capacity.
  ///
  /// - Parameter expected: negatives that may come later; memory for them is at most a gigabyte.
  mutating func reserve(negatives: Int, expected: Int = 0, component index: Int) {
    let ahead = min(expected, 1_000_000_000 / (4 * samples[index].dimension))
    samples[index].reserveCapacity(min(capacity[index], samples[index].count + negatives + ahead))
  }

  /// Adds negatives in the order of their keys; the easiest old ones make room where there is none.
  mutating func add(_ candidates: [NegativeCandidate], component index: Int) {
    let room = capacity[index] - samples[index].count
    if candidates.count > room, let model = models[index] {
      drop(candidates.count - room, component: index, model: model)
    }
    reserve(negatives: candidates.count, component: index)
    for candidate in candidates.sorted(by: { $0.key < $1.key }) {
      candidate.features.withUnsafeBufferPointer { samples[index].append($0.baseAddress!) }
      keys[index].append(candidate.key)
    }
    mined[index].new = candidates.count
  }

  private mutating func drop(_ count: Int, component index: Int, model: LinearSVM) {
    let positives = positiveCounts[index]
    let scores = model.scores(of: samples[index])
    let easiest = keys[index].indices.sorted { a, b in
      let (first, second) = (scores[positives + a], scores[positives + b])
      return first != second ? first < second : keys[index][a] < keys[index][b]
    }.prefix(count)
    let dropped = Set(easiest)
    let kept = keys[index].indices.filter { !dropped.contains($0) }
    samples[index].keepRows(Array(0..<positives) + kept.map { positives + $0 })
    if !duals[index].isEmpty {
      duals[index] = Array(duals[index].prefix(positives)) + kept.map { duals[index][positives + $0] }
    }
    keys[index] = kept.map { keys[index][$0] }
    mined[index].dropped = dropped.count
  }
}

/// A window that may become a negative.
struct NegativeCandidate: Sendable {
  let key: WindowKey
  let score: Double
  let features: [Float]

  /// Hardest first; equal scores by place.
  static func precedes(_ a: NegativeCandidate, _ b: NegativeCandidate) -> Bool {
    a.score != b.score ? a.score > b.score : a.key < b.key
  }
}
