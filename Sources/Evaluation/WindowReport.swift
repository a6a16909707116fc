import Foundation

/// Miss rate against false positives a window of one detector or several: figures as text and JSON, the curve as SVG.
public struct WindowReport: Sendable {
  public let title: String
  public let results: [(name: String, windows: WindowProtocol)]
  /// False positives a window at which the miss rate is told.
  public let rates: [Double]
  public let command: String?

  /// - Precondition: there is at least one result.
  public init(
    title: String, results: [(name: String, windows: WindowProtocol)],
    rates: [Double] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2], command: String? = nil
  ) {
    precondition(!results.isEmpty, "a report needs at least one result")
    self.title = title
    self.results = results
    self.rates = rates
    self.command = command
  }

  /// One table: a row a detector, `-` where a miss rate is undefined or not known.
  public func text() -> String {
    var table = TextTable(
      ["detector", "positives", "negative windows"] + rates.map { "miss rate at \(NumberText.short($0)) FPPW" })
    for (name, windows) in results {
      table.add(
        [name, String(windows.positiveScores.count), String(windows.negativeWindowCount)]
          + rates.map { NumberText.share(windows.missRate(falsePositivesPerWindow: $0)) })
    }
    return "\(title)\n\n\(table.text)"
  }

  /// The same figures with the thresholds; what is undefined or not known is null.
  public func json() -> String {
    JSONValue.object([
      "format": .string("windhover-windows"), "version": .integer(1), "title": .string(title),
      "command": .string(command),
      "results": .array(
        results.map { name, windows in
          .object([
            "name": .string(name), "positives": .integer(windows.positiveScores.count),
            "negative_windows": .integer(windows.negativeWindowCount), "floor": .number(windows.floor),
            "rates": .array(
              rates.map { rate in
                .object([
                  "false_positives_per_window": .number(rate),
                  "miss_rate": .number(windows.missRate(falsePositivesPerWindow: rate)),
                  "score": .number(windows.threshold(falsePositivesPerWindow: rate)),
                ])
              }),
          ])
        }),
    ]).indented
  }

  /// Miss rate against false positives a window, both logarithmic, as an SVG file of its own.
  ///
  /// Points without a false positive stand on the left border.
  public func svg() -> String {
    let curves = results.map { (name: $0.name, windows: $0.windows, points: $0.windows.curve()) }
    let lowest = curves.compactMap { $0.points.last?.missRate }.min() ?? 0.5
    let smallest = results.map { 1 / Double(max(10, $0.windows.negativeWindowCount)) }.min() ?? 1e-6
    let plot = SVGPlot(
      title: title,
      x: .logarithmic("false positives a window", max(1e-9, pow(10, floor(log10(smallest)))), 1),
      y: .logarithmic("miss rate", lowest >= 0.1 ? 0.1 : (lowest >= 0.01 ? 0.01 : 0.001), 1),
      series: curves.map { name, windows, points in
        SVGPlot.Series(
          name: name, figure: "at 1e-4: \(NumberText.share(windows.missRate(falsePositivesPerWindow: 1e-4)))",
          points: points.map { (x: $0.falsePositivesPerWindow, y: $0.missRate) })
      })
    return plot.svg(standalone: true)
  }
}
