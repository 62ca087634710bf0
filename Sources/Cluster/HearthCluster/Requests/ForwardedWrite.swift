/// The content of a write in the engine's form. Within one process it need not be encoded, and most writes are decided
/// there.
package enum ForwardedWrite: Sendable {
  /// The encoded bytes.
  case encoded([UInt8])
  /// The value, not encoded.
  case value(any ForwardedContent)

  /// The bytes, encoded now if they are not yet.
  package var bytes: [UInt8] {
    switch self {
    case .encoded(let bytes): bytes
    case .value(let value): value.encoded
    }
  }

  /// The exact or approximate number of bytes.
  var sizeBytes: Int {
    switch self {
    case .encoded(let bytes): bytes.count
    case .value(let value): value.sizeBytes
    }
  }
}

extension ForwardedWrite: Equatable {
  /// Returns true when the bytes are the same.
  package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension ForwardedWrite: ExpressibleByArrayLiteral {
  /// The content of these bytes.
  package init(arrayLiteral elements: UInt8...) { self = .encoded(elements) }
}

/// The content of a write as a value within its process.
package protocol ForwardedContent: AnyObject, Sendable {
  /// The bytes for another process.
  var encoded: [UInt8] { get }
  /// The approximate number of bytes.
  var sizeBytes: Int { get }
}
