import Execution
import Geometry

/// The matcher's work on a run of images, with the storage that it uses again for each.
struct ImageMatcher: Sendable {
  let options: MatchingOptions
  let labels: [String: Int32]
  private(set) var matched: [MatchedDetection] = []
  private(set) var targets: [[Matching.Target]] = []
  private(set) var emptyTargets = 0
  private(set) var outsideTargets = 0
  private(set) var ignored = 0

  private struct Region {
    var box: Box
    /// -1: hides detections of every label.
    var label: Int32
    var annotation: Int32
    /// Score of the detection that took it.
    var score: Double?
  }

  private struct Candidate {
    var box: Box
    var score: Double
    var label: Int32
    var index: Int32
    var best = 0.0
  }

  private var wanted: [Region] = []
  private var hidden: [Region] = []
  private var candidates: [Candidate] = []

  init(options: MatchingOptions, labels: [String: Int32]) {
    self.options = options
    self.labels = labels
  }

  mutating func match(index: Int, detections: ImageDetections, truth: AnnotatedImage, source: String) throws {
    try collectRegions(truth, size: PixelSize(width: detections.width, height: detections.height))
    try collectCandidates(detections, source)
    orderCandidates()
    for candidate in candidates {
      var (best, bestOverlap) = (-1, -1.0)
      var largest = 0.0
      for (place, target) in wanted.enumerated() where target.label == candidate.label {
        let overlap = options.overlapKind.overlap(candidate.box, target.box)
        largest = max(largest, overlap)
        if options.assignment == .bestFree && target.score != nil { continue }
        if overlap > bestOverlap { (best, bestOverlap) = (place, overlap) }
      }
      var outcome = MatchedDetection.Outcome.wrong
      var claimed: Int32 = -1
      if best >= 0, bestOverlap > 0, options.comparison.accepts(bestOverlap, options.overlapThreshold),
        wanted[best].score == nil
      {
        wanted[best].score = candidate.score
        (outcome, claimed, largest) = (.right, wanted[best].annotation, bestOverlap)
      } else if isExcused(candidate) {
        outcome = .ignored
      } else if largest > 0, options.comparison.accepts(largest, options.overlapThreshold) {
        outcome = .duplicate
      }
      matched.append(
        MatchedDetection(
          score: candidate.score, overlap: largest, imageIndex: Int32(index), detectionIndex: candidate.index,
          labelIndex: candidate.label, truthIndex: claimed, outcome: outcome))
    }
    targets.append(
      wanted.map { Matching.Target(annotation: Int($0.annotation), label: Int($0.label), score: $0.score) })
  }

  /// - Parameter size: of the image; 0 x 0 where the results do not say it.
  private mutating func collectRegions(_ truth: AnnotatedImage, size: PixelSize) throws {
    let frame = size.width > 0 && size.height > 0 ? Box(size) : nil
    wanted.removeAll(keepingCapacity: true)
    hidden.removeAll(keepingCapacity: true)
    for (index, annotation) in truth.annotations.enumerated() {
      guard annotation.box.isFinite else {
        throw InputError(
          source: truth.name, field: "annotation \(index + 1)", problem: "the box of the truth is not finite",
          found: annotation.box.words)
      }
      let label = number(annotation.label)
      if annotation.isIgnored {
        ignored += 1
        let everyLabel = options.comparesLabels && annotation.label.isEmpty
        hidden.append(Region(box: annotation.box, label: everyLabel ? -1 : label, annotation: Int32(index)))
      } else if annotation.box.isEmpty {
        emptyTargets += 1
      } else if let frame, annotation.box.intersectionArea(frame) <= 0 {
        outsideTargets += 1
        hidden.append(Region(box: annotation.box, label: label, annotation: Int32(index)))
      } else {
        wanted.append(Region(box: annotation.box, label: label, annotation: Int32(index)))
      }
    }
    wanted.sort { precedes($0.box, $0.label, $1.box, $1.label) }
  }

  private mutating func collectCandidates(_ detections: ImageDetections, _ source: String) throws {
    candidates.removeAll(keepingCapacity: true)
    for (index, detection) in detections.detections.enumerated() {
      guard detection.score.isFinite, detection.box.isFinite else {
        throw InputError(
          source: source, field: "\(detections.image), detection \(index + 1)", problem: "not finite",
          found: "score \(detection.score), box \(detection.box.words)")
      }
      candidates.append(
        Candidate(box: detection.box, score: detection.score, label: number(detection.label), index: Int32(index)))
    }
  }

  /// By falling score; equal scores by falling best overlap, then by box.
  private mutating func orderCandidates() {
    candidates.sort {
      $0.score != $1.score ? $0.score > $1.score : precedes($0.box, $0.label, $1.box, $1.label)
    }
    var start = 0
    while start < candidates.count {
      var end = start + 1
      while end < candidates.count && candidates[end].score == candidates[start].score { end += 1 }
      if end - start > 1 {
        for place in start..<end {
          for target in wanted where target.label == candidates[place].label {
            candidates[place].best = max(
              candidates[place].best, options.overlapKind.overlap(candidates[place].box, target.box))
          }
        }
        candidates[start..<end].sort {
          $0.best != $1.best ? $0.best > $1.best : precedes($0.box, $0.label, $1.box, $1.label)
        }
      }
      start = end
    }
  }

  private func isExcused(_ candidate: Candidate) -> Bool {
    for region in hidden where region.label == candidate.label || region.label == -1 {
      let share =
        options.ignoreRule == .overlap
        ? options.overlapKind.overlap(candidate.box, region.box)
        : options.overlapKind.coveredShare(of: candidate.box, by: region.box)
      if share > 0, options.comparison.accepts(share, options.ignoreThreshold) { return true }
    }
    return false
  }

  private func number(_ label: String) -> Int32 {
    options.comparesLabels ? labels[label]! : 0
  }
}

/// A total order of labelled boxes, whatever order they were listed in.
private func precedes(_ a: Box, _ labelA: Int32, _ b: Box, _ labelB: Int32) -> Bool {
  if a.x != b.x { return a.x < b.x }
  if a.y != b.y { return a.y < b.y }
  if a.width != b.width { return a.width < b.width }
  if a.height != b.height { return a.height < b.height }
  return labelA < labelB
}
