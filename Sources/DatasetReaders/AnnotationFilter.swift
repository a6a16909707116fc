import Execution
import Geometry

/// Chooses the annotations that count as targets; the others become *ignored*, never background.
///
/// Written as rules joined by commas, all of which a target must meet: `height>=20,blur<=1,occlusion<=0,label=face|person`.
/// The field is `width`, `height` (pixels), `side` (the shorter of the two), `area` (square pixels), `aspect` (width over
/// height), `label`, or an attribute of the format (WIDER: `blur`, `expression`, `illumination`, `invalid`, `occlusion`,
/// `pose`). The operator is `>=`, `<=`, `>`, `<`, `=` or `!=`. `label` and attributes take `=` and `!=` with words, several
/// joined by `|`. A rule on an attribute that an annotation does not have leaves that annotation alone.
public struct AnnotationFilter: Hashable, Sendable {
  public enum Field: Hashable, Sendable {
    case width, height, side, area, aspect, label
    case attribute(String)

    init(_ name: String) {
      self =
        switch name {
        case "width": .width
        case "height": .height
        case "side": .side
        case "area": .area
        case "aspect": .aspect
        case "label": .label
        default: .attribute(name)
        }
    }

    public var name: String {
      switch self {
      case .width: "width"
      case .height: "height"
      case .side: "side"
      case .area: "area"
      case .aspect: "aspect"
      case .label: "label"
      case .attribute(let name): name
      }
    }
  }

  public enum Comparison: String, Hashable, Sendable {
    case atLeast = ">="
    case atMost = "<="
    case different = "!="
    case above = ">"
    case below = "<"
    case equal = "="
  }

  public struct Rule: Hashable, Sendable, CustomStringConvertible {
    public var field: Field
    public var comparison: Comparison
    /// One number, or words joined by `|` for `=` and `!=`.
    public var values: [String]

    public var description: String { "\(field.name)\(comparison.rawValue)\(values.joined(separator: "|"))" }
  }

  public var rules: [Rule]

  /// - Parameter rules: none takes every annotation as it is.
  public init(rules: [Rule] = []) { self.rules = rules }

  /// Reads the text form; an empty text is no rule.
  /// - Throws: `InputError` that quotes the rule and what was expected.
  public static func parse(_ text: String) throws -> AnnotationFilter {
    if text.allSatisfy({ $0 == " " }) { return AnnotationFilter() }
    return AnnotationFilter(
      rules: try text.split(separator: ",", omittingEmptySubsequences: false).map { try rule($0, in: text) })
  }

  private static func rule(_ piece: Substring, in text: String) throws -> Rule {
    func failure(_ problem: String, expected: String) -> InputError {
      InputError(
        source: "target rules \"\(text)\"", problem: problem, found: "\"\(piece)\"", expected: expected,
        hint: "for example height>=20,blur<=1,label=face")
    }
    let symbols = "<>=!"
    guard let start = piece.firstIndex(where: { symbols.contains($0) }) else {
      throw failure("a rule has no comparison", expected: "field, comparison, value")
    }
    let rest = piece[start...]
    let sign = rest.prefix { symbols.contains($0) }
    let name = piece[..<start].filter { $0 != " " }
    let value = rest.dropFirst(sign.count).drop { $0 == " " }
    guard let comparison = Comparison(rawValue: String(sign)) else {
      throw failure("a rule has an unknown comparison", expected: "one of >=, <=, >, <, =, !=")
    }
    guard !name.isEmpty, !value.isEmpty else {
      throw failure("a rule is incomplete", expected: "field, comparison, value")
    }
    let field = Field(name)
    let takesWords = comparison == .equal || comparison == .different
    let values = takesWords ? value.split(separator: "|").map(String.init) : [String(value)]
    let isNumeric =
      switch field {
      case .label: false
      case .attribute: !takesWords
      default: true
      }
    if field == .label && !takesWords { throw failure("a label has no order", expected: "label= or label!=") }
    if values.isEmpty || (isNumeric && values.contains { NumberField.double($0) == nil }) {
      throw failure("a rule has no number to compare with", expected: "a decimal number")
    }
    return Rule(field: field, comparison: comparison, values: values)
  }

  /// Whether an annotation meets every rule. Whether it is already ignored is not looked at.
  public func accepts(_ annotation: Annotation) -> Bool {
    rules.allSatisfy { $0.accepts(annotation) }
  }

  /// The annotations with those that do not meet every rule turned to ignored. None is removed.
  public func applied(to annotations: [Annotation]) -> [Annotation] {
    guard !rules.isEmpty else { return annotations }
    return annotations.map { annotation in
      var copy = annotation
      if !accepts(annotation) { copy.isIgnored = true }
      return copy
    }
  }

  /// Rules on attributes that none of the annotations has: a misspelt name, or another format's.
  public func rulesWithoutEffect(on annotations: some Sequence<Annotation>) -> [Rule] {
    var open = rules.filter { if case .attribute = $0.field { true } else { false } }
    for annotation in annotations {
      if open.isEmpty { break }
      open.removeAll { annotation.attributes[$0.field.name] != nil }
    }
    return open
  }
}

extension AnnotationFilter.Rule {
  func accepts(_ annotation: Annotation) -> Bool {
    let box = annotation.box
    switch field {
    case .width: return meets(box.width)
    case .height: return meets(box.height)
    case .side: return meets(min(box.width, box.height))
    case .area: return meets(box.area)
    case .aspect: return meets(box.width / box.height)
    case .label: return values.contains(annotation.label) == (comparison == .equal)
    case .attribute(let name):
      guard let text = annotation.attributes[name] else { return true }
      switch comparison {
      case .equal, .different:
        let isListed = values.contains { value in
          value == text || NumberField.double(value).map { $0 == NumberField.double(text) } ?? false
        }
        return isListed == (comparison == .equal)
      default:
        guard let number = NumberField.double(text) else { return false }
        return meets(number)
      }
    }
  }

  private func meets(_ number: Double) -> Bool {
    let bounds = values.compactMap { NumberField.double($0) }
    guard let bound = bounds.first else { return false }
    return switch comparison {
    case .atLeast: number >= bound
    case .atMost: number <= bound
    case .above: number > bound
    case .below: number < bound
    case .equal: bounds.contains(number)
    case .different: !bounds.contains(number)
    }
  }
}

extension AnnotationFilter: CustomStringConvertible {
  /// The text that `parse` reads back.
  public var description: String { rules.map(\.description).joined(separator: ",") }
}

extension AnnotationFilter: Codable {
  /// Reads the text form.
  public init(from decoder: any Decoder) throws {
    self = try AnnotationFilter.parse(decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
