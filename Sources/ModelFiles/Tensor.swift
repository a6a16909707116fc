/// An array of numbers of any rank, row-major, as a model file holds it.
public struct Tensor: Hashable, Sendable {
  public let type: ElementType
  /// Sizes from the slowest to the fastest index; empty for a single number.
  public let shape: [Int]
  /// The elements, little-endian, without gaps.
  public let bytes: [UInt8]

  /// Elements in all.
  public var count: Int { bytes.count / type.size }

  /// - Parameter bytes: as many as `shape` and `type` ask for.
  public init(type: ElementType, shape: [Int], bytes: [UInt8]) {
    precondition(
      Tensor.byteCount(type: type, shape: shape) == bytes.count,
      "\(bytes.count) bytes for \(type.rawValue) of shape \(shape)")
    self.type = type
    self.shape = shape
    self.bytes = bytes
  }

  /// The bytes that a shape takes, or `nil` if a size is negative or the product overflows.
  static func byteCount(type: ElementType, shape: [Int]) -> Int? {
    if shape.contains(where: { $0 < 0 }) { return nil }
    if shape.contains(0) { return 0 }
    var count = type.size
    for size in shape {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      if overflow { return nil }
      count = product
    }
    return count
  }

  private init<Number: FixedWidthInteger>(_ type: ElementType, _ shape: [Int], words: some Sequence<Number>) {
    let bytes = words.map(\.littleEndian).withUnsafeBytes { Array($0) }
    self.init(type: type, shape: shape, bytes: bytes)
  }

  /// - Parameter shape: `nil` means one dimension.
  public init(_ values: [Float], shape: [Int]? = nil) {
    self.init(.float32, shape ?? [values.count], words: values.lazy.map(\.bitPattern))
  }

  public init(_ values: [Double], shape: [Int]? = nil) {
    self.init(.float64, shape ?? [values.count], words: values.lazy.map(\.bitPattern))
  }

  public init(_ values: [Int32], shape: [Int]? = nil) {
    self.init(.int32, shape ?? [values.count], words: values)
  }

  public init(_ values: [Int64], shape: [Int]? = nil) {
    self.init(.int64, shape ?? [values.count], words: values)
  }

  public init(_ values: [UInt8], shape: [Int]? = nil) {
    self.init(type: .uint8, shape: shape ?? [values.count], bytes: values)
  }

  /// The elements as `Float`: those of F32 as they are, F16 and BF16 widened without loss; `nil` for other types.
  public func floats() -> [Float]? {
    switch type {
    case .float32: words(UInt32.self).map { Float(bitPattern: $0) }
    case .float16: words(UInt16.self).map(Tensor.widenedHalf)
    case .bfloat16: words(UInt16.self).map { Float(bitPattern: UInt32($0) << 16) }
    default: nil
    }
  }

  /// The elements as `Double`: F64 as they are, and whatever `floats()` gives widened; `nil` for other types.
  public func doubles() -> [Double]? {
    if type == .float64 { return words(UInt64.self).map { Double(bitPattern: $0) } }
    return floats()?.map(Double.init)
  }

  /// The elements as `Int`: any whole-number type; `nil` for other types, and where an unsigned 64-bit value does not fit.
  public func integers() -> [Int]? {
    switch type {
    case .int64: return words(Int64.self).map { Int($0) }
    case .int32: return words(Int32.self).map { Int($0) }
    case .int16: return words(Int16.self).map { Int($0) }
    case .int8: return words(Int8.self).map { Int($0) }
    case .uint32: return words(UInt32.self).map { Int($0) }
    case .uint16: return words(UInt16.self).map { Int($0) }
    case .uint8, .bool: return bytes.map { Int($0) }
    case .uint64:
      let values = words(UInt64.self).map { Int(exactly: $0) }
      return values.contains(nil) ? nil : values.compactMap { $0 }
    case .float64, .float32, .float16, .bfloat16: return nil
    }
  }

  private func words<Number: FixedWidthInteger>(_: Number.Type) -> [Number] {
    bytes.withUnsafeBytes { bytes in
      (0..<count).map { index in
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Number>.size, as: Number.self))
      }
    }
  }

  /// IEEE 754 binary16 to binary32, without the run-time call that baseline x86-64 lacks an instruction for.
  private static func widenedHalf(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10 & 0x1F)
    let fraction = UInt32(bits & 0x3FF)
    switch exponent {
    case 0:
      let size = Float(fraction) * 0x1p-24
      return sign == 0 ? size : -size
    case 0x1F: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }
}
