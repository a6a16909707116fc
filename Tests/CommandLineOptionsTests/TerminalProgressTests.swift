import Testing

@testable import CommandLineOptions

struct TerminalProgressTests {
  @Test func theLineTellsRateAndTimeLeft() {
    #expect(
      TerminalProgress.line(phase: "mining", completed: 100, total: 400, seconds: 10)
        == "mining: 100 of 400, 10/s, 30 s left")
    #expect(TerminalProgress.line(phase: "mining", completed: 0, total: 400, seconds: 10) == "mining: 0 of 400")
    #expect(TerminalProgress.line(phase: "reading", completed: 3, total: nil, seconds: 2) == "reading: 3, 1.50/s")
    #expect(TerminalProgress.duration(3725) == "1 h 2 min")
  }

  @Test func nearestNamesAreFound() {
    #expect(editDistance("--rounds", "--round") == 1)
    #expect(editDistance("kitten", "sitting") == 3)
    #expect(editDistance("", "abc") == 3)
  }
}
