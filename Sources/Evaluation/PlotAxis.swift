import Foundation

/// One axis of a plot: its range, scale and ticks.
struct PlotAxis {
  struct Tick: Hashable {
    var value: Double
    /// Empty for a tick without a number.
    var label: String
  }

  var title: String
  var lower: Double
  var upper: Double
  var isLogarithmic: Bool
  /// Ticks of an axis that counts.
  private var counted: [Tick]?

  private init(title: String, lower: Double, upper: Double, isLogarithmic: Bool) {
    self.title = title
    self.lower = lower
    self.upper = upper
    self.isLogarithmic = isLogarithmic
  }

  /// Things that are counted from 0, more than one: each has a line, and so many a number as can be read.
  static func indices(_ title: String, count: Int) -> PlotAxis {
    var axis = linear(title, 0, Double(count - 1))
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500].first { count <= 17 * $0 } ?? 1000
    let faint = count <= 120 ? 1 : step
    axis.counted = stride(from: 0, to: count, by: faint).map {
      Tick(value: Double($0), label: $0 % step == 0 ? "\($0)" : "")
    }
    return axis
  }

  static func linear(_ title: String, _ lower: Double, _ upper: Double) -> PlotAxis {
    precondition(lower < upper)
    return PlotAxis(title: title, lower: lower, upper: upper, isLogarithmic: false)
  }

  static func logarithmic(_ title: String, _ lower: Double, _ upper: Double) -> PlotAxis {
    precondition(0 < lower && lower < upper)
    return PlotAxis(title: title, lower: lower, upper: upper, isLogarithmic: true)
  }

  /// Where a value lies, 0 at the lower end and 1 at the upper. Values beyond the ends are put on them.
  func place(_ value: Double) -> Double {
    if isLogarithmic {
      guard value > lower else { return 0 }
      return min(1, log(value / lower) / log(upper / lower))
    }
    return min(1, max(0, (value - lower) / (upper - lower)))
  }

  var ticks: [Tick] {
    counted ?? (isLogarithmic ? logarithmicTicks : linearTicks)
  }

  private var linearTicks: [Tick] {
    let rough = (upper - lower) / 5
    let power = pow(10, floor(log10(rough)))
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= rough * 0.999 } ?? rough
    var ticks: [Tick] = []
    var index = (lower / step).rounded(.up)
    while index * step <= upper + step * 1e-9 {
      ticks.append(Tick(value: index * step, label: NumberText.short(index * step, digits: 6)))
      index += 1
    }
    return ticks
  }

  /// Powers of ten; within less than two powers of ten also 2, 3 and 5 times one with numbers, else without.
  private var logarithmicTicks: [Tick] {
    let span = log10(upper / lower)
    var ticks: [Tick] = []
    for exponent in Int(floor(log10(lower) - 1e-9))...Int(ceil(log10(upper) + 1e-9)) {
      for factor in 1...9 {
        let value = Double(factor) * pow(10, Double(exponent))
        guard value >= lower * 0.9999, value <= upper * 1.0001 else { continue }
        let isNumbered = factor == 1 || (span <= 2.01 && [2, 5].contains(factor))
        ticks.append(Tick(value: value, label: isNumbered ? NumberText.short(value, digits: 6) : ""))
      }
    }
    return ticks
  }
}
