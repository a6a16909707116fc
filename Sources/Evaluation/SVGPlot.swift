import Foundation

/// A line plot as SVG. Colours and dashes come from `ReportStyle`, so that a page can turn dark; lines are told apart by
/// dashes and marks as well as by colour.
struct SVGPlot {
  struct Series {
    var name: String
    /// A figure to stand beside the name in the legend, or empty.
    var figure: String
    var points: [(x: Double, y: Double)]
  }

  var title: String
  var x: PlotAxis
  var y: PlotAxis
  var series: [Series]

  private let width = 560.0
  private let left = 64.0
  private let right = 16.0
  private let top = 16.0
  private let plotHeight = 340.0
  private let rowHeight = 20.0

  init(title: String, x: PlotAxis, y: PlotAxis, series: [Series]) {
    self.title = title
    self.x = x
    self.y = y
    self.series = series
  }

  private var bottom: Double { top + plotHeight }
  private var legendTop: Double { bottom + 58 }
  private var height: Double { legendTop + Double(series.count) * rowHeight + 2 }

  /// - Parameter standalone: whether it is a file of its own, with its own style.
  func svg(standalone: Bool) -> String {
    var text =
      "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Markup.number(width)) "
      + "\(Markup.number(height))\" role=\"img\"\(standalone ? " width=\"\(Int(width))\" height=\"\(Int(height))\"" : "")>\n"
    text += "<title>\(Markup.escaped(title))</title>\n"
    if standalone {
      text += "<style>\(ReportStyle.colors)\(ReportStyle.plots)</style>\n"
      text += "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"
    }
    text += grid()
    for (index, one) in series.enumerated() { text += line(one, index) }
    text += legend()
    return text + "</svg>\n"
  }

  private func px(_ value: Double) -> Double { left + x.place(value) * (width - left - right) }
  private func py(_ value: Double) -> Double { bottom - y.place(value) * plotHeight }

  private func grid() -> String {
    var text = ""
    for tick in x.ticks {
      let at = Markup.number(px(tick.value))
      text +=
        "<line class=\"\(tick.label.isEmpty ? "faint" : "grid")\" x1=\"\(at)\" x2=\"\(at)\" y1=\"\(Markup.number(top))\" "
        + "y2=\"\(Markup.number(bottom))\"/>"
      if !tick.label.isEmpty {
        text += "<text x=\"\(at)\" y=\"\(Markup.number(bottom + 18))\" text-anchor=\"middle\">\(tick.label)</text>\n"
      }
    }
    for tick in y.ticks {
      let at = Markup.number(py(tick.value))
      text +=
        "<line class=\"\(tick.label.isEmpty ? "faint" : "grid")\" x1=\"\(Markup.number(left))\" "
        + "x2=\"\(Markup.number(width - right))\" y1=\"\(at)\" y2=\"\(at)\"/>"
      if !tick.label.isEmpty {
        text +=
          "<text x=\"\(Markup.number(left - 8))\" y=\"\(Markup.number(py(tick.value) + 4))\" text-anchor=\"end\">"
          + "\(tick.label)</text>\n"
      }
    }
    text +=
      "<rect class=\"frame\" x=\"\(Markup.number(left))\" y=\"\(Markup.number(top))\" "
      + "width=\"\(Markup.number(width - left - right))\" height=\"\(Markup.number(plotHeight))\"/>\n"
    let middle = Markup.number((left + width - right) / 2)
    text +=
      "<text class=\"axis\" x=\"\(middle)\" y=\"\(Markup.number(bottom + 40))\" text-anchor=\"middle\">"
      + "\(Markup.escaped(x.title))</text>\n"
    text +=
      "<text class=\"axis\" transform=\"translate(16 \(Markup.number(top + plotHeight / 2))) rotate(-90)\" "
      + "text-anchor=\"middle\">\(Markup.escaped(y.title))</text>\n"
    return text
  }

  private func line(_ one: Series, _ index: Int) -> String {
    guard !one.points.isEmpty else { return "" }
    var places: [(Double, Double)] = []
    for point in one.points {
      let place = (px(point.x), py(point.y))
      // Points nearer than half a pixel draw the same line.
      if let last = places.last, abs(last.0 - place.0) + abs(last.1 - place.1) < 0.4 { continue }
      places.append(place)
    }
    let path = places.map { "\(Markup.number($0.0)) \(Markup.number($0.1))" }.joined(separator: " L")
    var text = "<path class=\"line s\(index % ReportStyle.seriesCount)\" d=\"M\(path)\"/>\n"
    if places.count == 1 {
      text += mark(index, places[0], always: true)
    } else if series.count > 1 {
      for place in SVGPlot.along(places, every: 70, from: 20 + Double(index * 17 % 70)) { text += mark(index, place) }
    }
    return text
  }

  /// Places on a line at even distances.
  private static func along(_ places: [(Double, Double)], every step: Double, from start: Double) -> [(Double, Double)]
  {
    var result: [(Double, Double)] = []
    var next = start
    var walked = 0.0
    for (a, b) in zip(places, places.dropFirst()) {
      let length = hypot(b.0 - a.0, b.1 - a.1)
      while length > 0, next <= walked + length {
        let share = (next - walked) / length
        result.append((a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1)))
        next += step
      }
      walked += length
    }
    return result
  }

  private func mark(_ index: Int, _ place: (Double, Double), always: Bool = false) -> String {
    let (x, y) = place
    func path(_ corners: [(Double, Double)]) -> String {
      corners.map { "\(Markup.number(x + $0.0)) \(Markup.number(y + $0.1))" }.joined(separator: " L")
    }
    let shape: String
    switch index % 6 {
    case 0: shape = "M\(path([(-3.5, 0), (0, -3.5), (3.5, 0), (0, 3.5)])) Z"
    case 1: shape = "M\(path([(-3, -3), (3, -3), (3, 3), (-3, 3)])) Z"
    case 2: shape = "M\(path([(-3.8, 3), (0, -4), (3.8, 3)])) Z"
    case 3: shape = "M\(path([(-3, -3), (3, 3)])) M\(path([(-3, 3), (3, -3)]))"
    case 4: shape = "M\(path([(-4, 0), (4, 0)])) M\(path([(0, -4), (0, 4)]))"
    default: shape = "M\(path([(-3.8, -3), (0, 4), (3.8, -3)])) Z"
    }
    return "<path class=\"mark m\(index % ReportStyle.seriesCount)\" d=\"\(shape)\"/>\n"
  }

  private func legend() -> String {
    var text = ""
    for (index, one) in series.enumerated() {
      let y = legendTop + Double(index) * rowHeight + 6
      text +=
        "<path class=\"line s\(index % ReportStyle.seriesCount)\" d=\"M\(Markup.number(left)) \(Markup.number(y)) "
        + "L\(Markup.number(left + 40)) \(Markup.number(y))\"/>"
      if series.count > 1 { text += mark(index, (left + 20, y)) }
      text +=
        "<text x=\"\(Markup.number(left + 50))\" y=\"\(Markup.number(y + 4))\">"
        + "\(Markup.escaped(Markup.shortened(one.name, to: 48)))</text>"
      if !one.figure.isEmpty {
        text +=
          "<text x=\"\(Markup.number(width - right))\" y=\"\(Markup.number(y + 4))\" text-anchor=\"end\">"
          + "\(Markup.escaped(one.figure))</text>\n"
      }
    }
    return text
  }
}
