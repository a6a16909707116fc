import Experiments
import Testing

struct ExperimentResultTests {
  private func result(_ figures: [(String, Double?)]) -> ExperimentResult {
    var result = ExperimentResult(title: "t", command: "c")
    result.figures = figures.map { .init(name: $0, value: $1, tolerance: 0.01, isBetterWhenLarger: true) }
    return result
  }

  @Test func figuresWithinTheirToleranceAgree() {
    let expected = result([("a", 0.5), ("b", nil)])
    #expect(result([("a", 0.509), ("b", nil), ("c", 1)]).differences(from: expected).isEmpty)
  }

  @Test func whatDiffersIsTold() {
    let expected = result([("a", 0.5), ("b", nil), ("c", 0.1), ("d", 0.2)])
    let lines = result([("a", 0.52), ("b", 0), ("c", nil)]).differences(from: expected)
    #expect(lines.count == 4)
    #expect(lines[0].contains("0.5200") && lines[0].contains("0.5000"))
    #expect(lines[1].contains("expected -"))
    #expect(lines[3].contains("not measured"))
  }
}
