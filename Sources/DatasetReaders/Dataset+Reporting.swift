import Execution

extension Dataset {
  /// Tells a set's faults as warnings: the first few, then how many more there are.
  ///
  /// Notes (blanks at line ends, a byte-order mark) are left to `windhover-data check`.
  public func tellProblems(to progress: any ProgressSink, limit: Int = 5) {
    let faults = problems.filter { $0.severity > .note }
    for fault in faults.prefix(limit) { progress.receive(.warning("\(fault)")) }
    if faults.count > limit {
      progress.receive(.warning("\(name): \(faults.count - limit) more faults; windhover-data check lists them"))
    }
  }
}
