// Operations on vectors of 4 and 8 floats that compile to one or a few instructions each. The standard library's comparison
// masks, `replace(with:where:)` and `pointwiseMin` take vectors apart, which costs the gradient kernels half their
// speed or more; sign bits and the conditional expressions below do not.

@inline(__always)
func load(_ pointer: UnsafePointer<Float>) -> SIMD4<Float> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD4<Float>.self)
}

@inline(__always)
func store(_ value: SIMD4<Float>, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD4<Float>.self)
}

@inline(__always)
func magnitude(_ value: SIMD4<Float>) -> SIMD4<Float> {
  SIMD4<Float>(bitPattern: value.bitPattern & SIMD4<UInt32>(repeating: 0x7FFF_FFFF))
}

extension SIMD4<Float> {
  @inline(__always)
  var bitPattern: SIMD4<UInt32> { unsafeBitCast(self, to: SIMD4<UInt32>.self) }

  @inline(__always)
  init(bitPattern: SIMD4<UInt32>) { self = unsafeBitCast(bitPattern, to: SIMD4<Float>.self) }
}

/// All bits set where the sign bit is, which makes `a < b` of finite numbers `negative(a - b)`.
@inline(__always)
func negative(_ value: SIMD4<Float>) -> SIMD4<Int32> {
  unsafeBitCast(value, to: SIMD4<Int32>.self) &>> SIMD4<Int32>(repeating: 31)
}

/// `a` where the mask is set, `b` elsewhere.
@inline(__always)
func select(_ mask: SIMD4<Int32>, _ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
  let first = unsafeBitCast(a, to: SIMD4<Int32>.self)
  let second = unsafeBitCast(b, to: SIMD4<Int32>.self)
  return unsafeBitCast(((first ^ second) & mask) ^ second, to: SIMD4<Float>.self)
}

@inline(__always)
func smaller(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> {
  SIMD4(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z, a.w < b.w ? a.w : b.w)
}

@inline(__always)
func load8(_ pointer: UnsafePointer<Float>) -> SIMD8<Float> {
  UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always)
func store(_ value: SIMD8<Float>, _ pointer: UnsafeMutablePointer<Float>) {
  UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Float>.self)
}

@inline(__always)
func magnitude(_ value: SIMD8<Float>) -> SIMD8<Float> {
  SIMD8<Float>(bitPattern: value.bitPattern & SIMD8<UInt32>(repeating: 0x7FFF_FFFF))
}

extension SIMD8<Float> {
  @inline(__always)
  var bitPattern: SIMD8<UInt32> { unsafeBitCast(self, to: SIMD8<UInt32>.self) }

  @inline(__always)
  init(bitPattern: SIMD8<UInt32>) { self = unsafeBitCast(bitPattern, to: SIMD8<Float>.self) }
}

@inline(__always)
func negative(_ value: SIMD8<Float>) -> SIMD8<Int32> {
  unsafeBitCast(value, to: SIMD8<Int32>.self) &>> SIMD8<Int32>(repeating: 31)
}

@inline(__always)
func select(_ mask: SIMD8<Int32>, _ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> {
  let first = unsafeBitCast(a, to: SIMD8<Int32>.self)
  let second = unsafeBitCast(b, to: SIMD8<Int32>.self)
  return unsafeBitCast(((first ^ second) & mask) ^ second, to: SIMD8<Float>.self)
}
