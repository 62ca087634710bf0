#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The first bytes of a packed value, as integers in registers: the tag, and the number or the length of the text, which
/// follows.
struct PackedHead {
  /// The first eight bytes, the first one in the lowest bits.
  private var low: UInt64 = 0
  /// The bytes after them.
  private var high: UInt64 = 0
  private(set) var count = 0

  /// The first byte.
  var tag: UInt8 { UInt8(truncatingIfNeeded: low) }

  private mutating func append(_ value: UInt64, byteCount: Int) {
    // A shift by more than the width gives 0, and one by a negative number of bits shifts to the right.
    low |= value << (8 * count)
    high |= value << (8 * count - 64)
    count += byteCount
  }

  private init(kind: UInt8, detail: Int = 0) { append(UInt64(kind) | UInt64(detail) << 4, byteCount: 1) }

  /// Returns the parts of a leaf's value: the head, and the text that follows or the object that holds a long one.
  static func parts(of scalar: Scalar) -> (head: PackedHead, text: String?, object: PageText?) {
    switch scalar {
    case .bool(let value): return (PackedHead(value), nil, nil)
    case .int(let value): return (PackedHead(value), nil, nil)
    case .double(let value): return (PackedHead(value), nil, nil)
    case .string(let value) where PackedValue.isInline(value):
      return (PackedHead(stringByteCount: value.utf8.count), value, nil)
    case .string(let value):
      let object = PageText.make(value)
      return (PackedHead(kind: PackedKind.text, object), nil, object)
    }
  }

  init(_ value: Bool) { self.init(kind: PackedKind.boolean, detail: value ? 1 : 0) }

  init(_ value: Int64) {
    let magnitude = value < 0 ? ~value : value
    let width = value == 0 ? 0 : (64 - magnitude.leadingZeroBitCount) / 8 + 1
    self.init(kind: PackedKind.integer, detail: width)
    let mask = width == 8 ? UInt64.max : (1 << UInt64(8 * width)) - 1
    append(UInt64(bitPattern: value) & mask, byteCount: width)
  }

  init(_ value: Double) {
    self.init(kind: PackedKind.double)
    append(value.bitPattern, byteCount: 8)
  }

  init(stringByteCount: Int) {
    self.init(kind: PackedKind.string, detail: min(stringByteCount, 15))
    var rest = stringByteCount
    guard rest >= 15 else { return }
    while rest >= 0x80 {
      append(UInt64(rest & 0x7F | 0x80), byteCount: 1)
      rest >>= 7
    }
    append(UInt64(rest), byteCount: 1)
  }

  /// Creates the head of a reference to a tree or a long text, with its address.
  init(kind: UInt8, _ object: AnyObject) {
    self.init(kind: kind)
    append(UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())), byteCount: 8)
  }

  /// Calls `body` with the bytes from `first` on.
  func withBytes(from first: Int = 0, _ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) {
      body(UnsafeRawBufferPointer(rebasing: $0[first..<count]))
    }
  }
}

extension PackedValue {
  /// The maximum size of a string that is stored in its page; a longer one is a `PageText`. Every change in a page
  /// copies it, so long strings are stored outside.
  static let inlineStringSizeBytesMax = 512

  static func isInline(_ text: String) -> Bool { text.utf8.count <= inlineStringSizeBytesMax }

  /// Returns the size in bytes of a leaf's value without a priority.
  static func size(_ scalar: Scalar) -> Int {
    switch scalar {
    case .bool: return 1
    case .int(let value): return PackedHead(value).count
    case .double: return 9
    case .string(let text):
      let count = text.utf8.count
      return isInline(text) ? PackedHead(stringByteCount: count).count + count : 9
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns true when both have the same bytes.
  func elementsEqualBytes(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let a = baseAddress, let b = other.baseAddress else { return true }
    return memcmp(a, b, count) == 0
  }
}
