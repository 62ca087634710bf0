/// A write or its reply, in the engine's encoding, or as a value when it stays within one process, as for most writes.
package enum ForwardedBody: Sendable {
  /// The encoded bytes.
  case encoded([UInt8])
  /// The value, not encoded.
  case value(any ForwardedContent)

  /// The bytes, encoded now if necessary.
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

extension ForwardedBody: Equatable {
  /// Returns true when the bytes are the same.
  package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension ForwardedBody: ExpressibleByArrayLiteral {
  /// Creates an encoded body from its bytes.
  package init(arrayLiteral elements: UInt8...) { self = .encoded(elements) }
}

/// A body that is encoded only when another process needs it.
package protocol ForwardedContent: AnyObject, Sendable {
  /// The bytes for another process.
  var encoded: [UInt8] { get }
  /// The approximate number of bytes.
  var sizeBytes: Int { get }
}
