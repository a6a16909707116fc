import Foundation

/// Files below `Tests/Fixtures`.
public enum Fixture {
  /// - Parameter path: for example "Evaluation/golden.json".
  public static func url(_ path: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "Fixtures/\(path)")
  }

  public static func decode<Value: Decodable>(
    _ type: Value.Type, _ path: String, by decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: Data(contentsOf: url(path)))
  }
}
