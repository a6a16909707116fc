/// What all report pages are made of.
enum HTMLPage {
  /// A page that needs nothing else, with its title as heading.
  ///
  /// - Parameter body: markup.
  static func html(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="generator" content="windhover-evaluate"><title>\(Markup.escaped(title))</title>
    <style>
    \(ReportStyle.colors)\(ReportStyle.plots)\(ReportStyle.page)</style></head><body><main>
    <h1>\(Markup.escaped(title))</h1>

    """ + body + "</main></body></html>\n"
  }

  /// Large figures, each with its name and a detail, as text.
  static func cards(_ cards: [(value: String, name: String, detail: String)]) -> String {
    "<div class=\"cards\">"
      + cards.map { value, name, detail in
        "<div class=\"card\"><b>\(value)</b><span>\(name)</span><span>\(Markup.escaped(detail.isEmpty ? "\u{a0}" : detail))"
          + "</span></div>"
      }.joined() + "</div>\n"
  }

  /// Terms with their values; the values are markup.
  static func definitions(_ lines: [(String, String)]) -> String {
    "<dl>" + lines.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>" }.joined(separator: "\n") + "</dl>\n"
  }
}

extension SVGPlot {
  /// The plot under its title, for a page.
  var figure: String { "<figure><figcaption>\(Markup.escaped(title))</figcaption>\(svg(standalone: false))</figure>\n" }
}

/// A table of cells that are markup already.
enum HTMLTable {
  static func html(caption: String?, header: [String], rows: [[String]]) -> String {
    var text = "<div class=\"scroll\"><table>"
    if let caption { text += "<caption>\(caption)</caption>" }
    text += "<thead><tr>" + header.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead><tbody>\n"
    for row in rows {
      text += "<tr><th scope=\"row\">\(row[0])</th>" + row.dropFirst().map { "<td>\($0)</td>" }.joined() + "</tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }
}
