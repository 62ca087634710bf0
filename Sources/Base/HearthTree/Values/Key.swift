/// A database key, compared and hashed by exact code units, never by Unicode equivalence.
///
/// `"é"` and `"e\u{301}"` are two keys here although they are equal as a Swift `String`. The order is that of the
/// Firebase service: keys that are 32-bit integers come first, by number and then by length; all others follow in
/// UTF-16 code unit order.
///
/// Any text can be a `Key`, because rules may use keys that cannot exist (`child('a.b')`). ``Location`` and the JSON
/// reader check whether a key may be *written*.
public struct Key: Sendable {
  /// The key's text, with contiguous UTF-8 storage.
  public let text: String

  /// Creates a key from any text; ``problem`` states whether the key can be stored.
  public init(_ text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.text = text
  }

  /// Creates a key from UTF-8 bytes; invalid bytes become U+FFFD.
  public init(utf8: UnsafeRawBufferPointer) {
    text = String(decoding: utf8, as: UTF8.self)
  }

  /// Calls `body` with the key's UTF-8 bytes, which are valid during the call.
  public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    if let result = try text.utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return try Array(text.utf8).withUnsafeBytes(body)
  }
}

extension Key: Equatable {
  public static func == (a: Key, b: Key) -> Bool {
    a.withUTF8 { x in b.withUTF8 { y in x.elementsEqualBytes(y) } }
  }
}

extension Key: Hashable {
  public func hash(into hasher: inout Hasher) {
    withUTF8 { hasher.combine(bytes: $0) }
    hasher.combine(0xFF as UInt8)  // separates the keys of a path
  }
}

extension Key: Comparable {
  public static func < (a: Key, b: Key) -> Bool {
    a.withUTF8 { x in b.withUTF8 { y in OrderedKey(x).compare(y) < 0 } }
  }

  /// The value of a key that is a 32-bit integer: an optional `-`, then digits, at most 11 characters.
  public var integer: Int32? {
    withUTF8 { bytes in
      let rank = OrderedKey.rank(bytes)
      guard OrderedKey.isInteger(rank: rank) else { return nil }
      return Int32(truncatingIfNeeded: Int64(rank >> 8) - 0x8000_0000)
    }
  }
}

extension Key: CustomStringConvertible, ExpressibleByStringLiteral {
  public var description: String { text }
  /// Creates a key from a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
