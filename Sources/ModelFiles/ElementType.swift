/// The type of a tensor's elements, under its safetensors name. All are little-endian.
public enum ElementType: String, Hashable, Codable, Sendable, CaseIterable {
  case float64 = "F64"
  case float32 = "F32"
  case float16 = "F16"
  case bfloat16 = "BF16"
  case int64 = "I64"
  case int32 = "I32"
  case int16 = "I16"
  case int8 = "I8"
  case uint64 = "U64"
  case uint32 = "U32"
  case uint16 = "U16"
  case uint8 = "U8"
  case bool = "BOOL"

  /// Bytes an element.
  public var size: Int {
    switch self {
    case .float64, .int64, .uint64: 8
    case .float32, .int32, .uint32: 4
    case .float16, .bfloat16, .int16, .uint16: 2
    case .int8, .uint8, .bool: 1
    }
  }
}
