import Execution
import Foundation
import Geometry
import TestSupport
import Testing

@testable import Detection

@Suite struct SuppressionTests {
  private func detection(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ score: Double, _ label: String = "a"
  )
    -> Detection
  {
    Detection(box: Box(x: x, y: y, width: width, height: height), score: score, label: label)
  }

  /// Boxes 10 wide shifted by 2 overlap by 8 / 12 = 0.667, by 5: 5 / 15 = 0.333, by 10: none.
  @Test func greedyByHand() {
    let boxes = [detection(0, 0, 10, 10, 1), detection(2, 0, 10, 10, 3), detection(7, 0, 10, 10, 2)]
    #expect(Suppression.greedy(overlap: 0.5).apply(to: boxes).map(\.score) == [3, 2])
    #expect(Suppression.greedy(overlap: 0.3).apply(to: boxes).map(\.score) == [3])
    #expect(Suppression.greedy(overlap: 0.7).apply(to: boxes).map(\.score) == [3, 2, 1])
    #expect(Suppression.none.apply(to: boxes).map(\.score) == [3, 2, 1])
  }

  /// An overlap of exactly the limit is kept: only more than it suppresses.
  @Test func limitItselfIsKept() {
    let boxes = [detection(0, 0, 10, 10, 2), detection(0, 0, 10, 5, 1)]
    #expect(Suppression.greedy(overlap: 0.5).apply(to: boxes).count == 2)
    #expect(Suppression.greedy(overlap: 0.49).apply(to: boxes).count == 1)
  }

  /// A small box within a large one: 1 / 16 of the union, all of the smaller.
  @Test func smallerAreaDropsNestedBoxes() {
    let boxes = [detection(0, 0, 40, 40, 2), detection(10, 10, 10, 10, 1)]
    #expect(Suppression.greedy(overlap: 0.5).apply(to: boxes).count == 2)
    #expect(Suppression.greedy(overlap: 0.5, by: .smaller).apply(to: boxes).map(\.score) == [2])
  }

  @Test func labelsMeetOnlyWhenAsked() {
    let boxes = [detection(0, 0, 10, 10, 2, "a"), detection(1, 0, 10, 10, 1, "b")]
    #expect(Suppression.greedy(overlap: 0.3).apply(to: boxes).count == 2)
    let across = GreedySuppression(overlap: 0.3, acrossLabels: 0.5)
    #expect(Suppression.greedy(across).apply(to: boxes).map(\.label) == ["a"])
  }

  /// The kept box takes half of 1 + 0.5; the negative score adds nothing.
  @Test func accumulationByHand() {
    let boxes = [
      detection(0, 0, 10, 10, 2), detection(1, 0, 10, 10, 1), detection(0, 1, 10, 10, 0.5), detection(1, 1, 10, 10, -1),
      detection(50, 50, 10, 10, 2.5),
    ]
    let grown = Suppression.greedy(GreedySuppression(overlap: 0.4, accumulation: 0.5)).apply(to: boxes)
    #expect(grown.map(\.score) == [2.75, 2.5])
    #expect(grown[0].box.x == 0)
    // From a floor of -3 on it takes half of 4 + 3.5 + 2.
    let low = GreedySuppression(overlap: 0.4, accumulation: 0.5, accumulationFloor: -3)
    #expect(Suppression.greedy(low).apply(to: boxes).map(\.score) == [6.75, 2.5])
    // From a floor of 0.75 on, half of 0.25.
    let high = GreedySuppression(overlap: 0.4, accumulation: 0.5, accumulationFloor: 0.75)
    #expect(Suppression.greedy(high).apply(to: boxes).map(\.score) == [2.5, 2.125])
  }

  private func seeded(_ seed: UInt64, count: Int) -> [Detection] {
    var random = RandomStream(seed: seed)
    return (0..<count).map { _ in
      // Few different scores and places, so that ties and equal boxes happen.
      let side = exp(random.uniform(in: 2..<6)).rounded()
      return detection(
        random.uniform(in: -50..<400).rounded(), random.uniform(in: -50..<300).rounded(), side,
        (side * random.uniform(in: 0.5..<2)).rounded(), Double(random.index(below: 20)) - 5,
        ["a", "b", "c"][random.index(below: 3)])
    }
  }

  /// Compares every pair.
  private func obviousGreedy(_ options: GreedySuppression, _ detections: [Detection]) -> [Detection] {
    var kept: [Detection] = []
    var grown: [Double] = []
    for candidate in detections.sorted(by: Suppression.precedes) {
      let suppressor = kept.indices.first { index in
        let other = kept[index]
        let limit = other.label == candidate.label ? options.overlap : options.acrossLabels
        guard let limit else { return false }
        return options.measure == .union
          ? candidate.box.intersectionOverUnion(other.box) > limit
          : candidate.box.intersectionOverSmaller(other.box) > limit
      }
      if let suppressor {
        grown[suppressor] += max(0, candidate.score - (options.accumulationFloor ?? 0))
      } else {
        kept.append(candidate)
        grown.append(0)
      }
    }
    guard options.accumulation != 0 else { return kept }
    for index in kept.indices { kept[index].score += options.accumulation * grown[index] }
    return kept.sorted(by: Suppression.precedes)
  }

  @Test(arguments: testSeeds) func greedyAgreesWithComparingAllPairs(seed: UInt64) {
    let detections = seeded(seed, count: 300)
    for measure in GreedySuppression.Measure.allCases {
      for across in [nil, 0.7] {
        for (accumulation, floor) in [(0, nil), (0.25, nil), (0.25, -2.5)] as [(Double, Double?)] {
          let options = GreedySuppression(
            overlap: 0.35, measure: measure, acrossLabels: across, accumulation: accumulation, accumulationFloor: floor)
          #expect(
            Suppression.greedy(options).apply(to: detections) == obviousGreedy(options, detections), "seed \(seed)")
        }
      }
    }
  }

  @Test(arguments: testSeeds) func orderOfInputDoesNotMatter(seed: UInt64) {
    var detections = seeded(seed, count: 200)
    let methods: [Suppression] = [
      .none, .greedy(GreedySuppression(overlap: 0.3, acrossLabels: 0.6, accumulation: 0.1)),
      .groupRectangles(RectangleGrouping(threshold: 1)),
    ]
    let expected = methods.map { $0.apply(to: detections) }
    var random = RandomStream(seed: seed)
    random.shuffle(&detections)
    #expect(methods.map { $0.apply(to: detections) } == expected, "seed \(seed)")
  }

  /// Fifty thousand windows, most of them around a few hundred places.
  @Test func manyCandidatesTakeLittleTime() {
    var random = RandomStream(seed: 7)
    let places = (0..<400).map { _ in (random.uniform(in: 0..<4000), random.uniform(in: 0..<3000)) }
    let detections = (0..<50_000).map { _ in
      let place = places[random.index(below: 400)]
      let side = random.uniform(in: 60..<90)
      return detection(
        place.0 + random.uniform(in: 0..<20), place.1 + random.uniform(in: 0..<20), side, side, random.uniform())
    }
    let clock = ContinuousClock()
    var kept: [Detection] = []
    let time = clock.measure { kept = Suppression.greedy(overlap: 0.4).apply(to: detections) }
    #expect(!kept.isEmpty && kept.count < 2000)
    // All pairs of candidates and kept boxes would be some 20 million overlaps; the bound is generous for busy machines.
    #expect(time < .seconds(2))
  }

  /// Four similar boxes become their mean, two are too few, and a group within a larger one goes.
  @Test func groupingByHand() {
    let four = [
      detection(100, 100, 64, 128, 0.5), detection(104, 100, 64, 128, 1.5), detection(100, 104, 64, 128, 1),
      detection(104, 104, 64, 128, 0.25),
    ]
    let two = [detection(400, 100, 64, 128, 2), detection(402, 100, 64, 128, 3)]
    let grouped = Suppression.groupRectangles(RectangleGrouping()).apply(to: four + two)
    #expect(grouped == [detection(102, 102, 64, 128, 1.5)])
    #expect(Suppression.groupRectangles(RectangleGrouping(threshold: 0)).apply(to: four + two).count == 6)
    let threeWithin = (0..<3).map { detection(115 + Double($0), 130, 30, 60, 9) }
    let inner = Suppression.groupRectangles(RectangleGrouping()).apply(to: four + threeWithin)
    #expect(inner == [detection(102, 102, 64, 128, 1.5)])
  }

  @Test func optionsSurviveJSON() throws {
    let all: [Suppression] = [
      .none, .greedy(GreedySuppression(overlap: 0.3, measure: .smaller, acrossLabels: 0.5, accumulation: 0.1)),
      .greedy(GreedySuppression(accumulation: 1, accumulationFloor: -4)),
      .groupRectangles(RectangleGrouping(threshold: 3, epsilon: 0.1)),
    ]
    for suppression in all {
      let data = try JSONEncoder().encode(suppression)
      #expect(try JSONDecoder().decode(Suppression.self, from: data) == suppression)
    }
    let plain = try JSONEncoder().encode(Suppression.greedy(GreedySuppression(accumulation: 1)))
    #expect(
      !String(decoding: plain, as: UTF8.self).contains("accumulationFloor"),
      "older readers refuse what they do not know")
    let brief = Data(#"{"method": "greedy", "overlap": 0.25}"#.utf8)
    #expect(try JSONDecoder().decode(Suppression.self, from: brief) == .greedy(overlap: 0.25))
  }
}
