import Foundation

/// Any JSON value: for laying a few given options over a full set of defaults.
public enum JSONTree: Hashable, Codable, Sendable {
  case null
  case boolean(Bool)
  case whole(Int)
  /// Whole numbers that are more than an `Int` holds.
  case large(UInt64)
  case number(Double)
  case text(String)
  case array([JSONTree])
  case object([String: JSONTree])

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let number = try? value.decode(Int.self) {
      self = .whole(number)
    } else if let number = try? value.decode(UInt64.self) {
      self = .large(number)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let array = try? value.decode([JSONTree].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: JSONTree].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .boolean(let boolean): try value.encode(boolean)
    case .whole(let number): try value.encode(number)
    case .large(let number): try value.encode(number)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .array(let array): try value.encode(array)
    case .object(let object): try value.encode(object)
    }
  }

  /// This value with another laid over it: objects key by key, everything else replaced.
  ///
  /// An object whose only keys name another variant (`{"felzenszwalb": …}` over `{"dalalTriggs": …}`) replaces it, too.
  public func overlaid(by other: JSONTree) -> JSONTree {
    guard case .object(let mine) = self, case .object(let theirs) = other else { return other }
    if mine.count == 1, theirs.count == 1, mine.keys != theirs.keys { return other }
    return .object(mine.merging(theirs) { $0.overlaid(by: $1) })
  }

  /// `defaults` with the given keys laid over it.
  /// - Parameter key: where the keys are given, for errors.
  /// - Throws: `DecodingError` for a key whose value is of the wrong kind.
  public static func decode<Value: Codable>(
    _ given: JSONTree, over defaults: Value, at key: (any CodingKey)? = nil
  ) throws -> Value {
    let base = try JSONDecoder().decode(JSONTree.self, from: JSONEncoder().encode(defaults))
    do {
      return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(base.overlaid(by: given)))
    } catch let error as DecodingError {
      throw key.map { error.within($0) } ?? error
    }
  }
}

extension DecodingError {
  /// The error with its place below a key. One without a place keeps none: it is of the whole text.
  fileprivate func within(_ key: any CodingKey) -> DecodingError {
    func moved(_ context: Context) -> Context {
      Context(
        codingPath: [key] + context.codingPath, debugDescription: context.debugDescription,
        underlyingError: context.underlyingError)
    }
    switch self {
    case .typeMismatch(let type, let context): return .typeMismatch(type, moved(context))
    case .valueNotFound(let type, let context): return .valueNotFound(type, moved(context))
    case .keyNotFound(let missing, let context): return .keyNotFound(missing, moved(context))
    case .dataCorrupted(let context): return context.codingPath.isEmpty ? self : .dataCorrupted(moved(context))
    @unknown default: return self
    }
  }
}
