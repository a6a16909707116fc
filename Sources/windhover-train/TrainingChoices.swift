import CommandLineOptions
import Windhover

extension ParsedOptions {
  /// Labels that an option names; `nil` where it is not given.
  /// - Throws: `UsageError` for a blank one.
  func labels(_ name: String) throws -> [String]? {
    guard isGiven(name) else { return nil }
    let labels = list(name)
    guard labels.allSatisfy({ $0.contains { !$0.isWhitespace } }) else {
      throw UsageError("\(name): found \"\", expected a label")
    }
    return labels
  }

  /// The size that an option gives as `WIDTHxHEIGHT`; `nil` where it is not given.
  /// - Throws: `UsageError` for anything else.
  func pixelSize(_ name: String, example: String) throws -> PixelSize? {
    guard let text = text(name) else { return nil }
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0 else {
      throw UsageError("\(name): found \"\(text)\", expected WIDTHxHEIGHT in pixels, for example \(example)")
    }
    return PixelSize(width: width, height: height)
  }
}
