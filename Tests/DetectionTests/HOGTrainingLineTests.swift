import Testing

@testable import Detection

/// Lines of progress say what their numbers are, and give them as people read them.
struct HOGTrainingLineTests {
  private func round(_ number: Int, dropped: Int = 0, share: Double?, error: Double) -> HOGTrainingReport.Round {
    HOGTrainingReport.Round(
      round: number, component: "cup", positives: 40, negatives: 900, newNegatives: 300, droppedNegatives: dropped,
      scannedWindows: 12_345, falsePositivesPerWindow: share, objective: 1.5, converged: true, trainingError: error)
  }

  @Test func roundsAreTold() {
    #expect(
      round(0, share: nil, error: 0.0123456).line
        == "round 0, cup: 40 positives, 900 negatives (300 new); of these samples 1.2346 % come out wrong")
    #expect(
      round(2, dropped: 7, share: 2.5818855e-07, error: 0).line
        == "round 2, cup: 40 positives, 900 negatives (300 new, 7 others made room); 12345 windows were looked at for them, "
        + "a share of 2.58e-7 were false alarms; of these samples 0 % come out wrong")
  }
}
