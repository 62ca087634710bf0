/// What a write asks for, or what it is answered, in the engine's form. Within the process in which it is asked it need not be
/// bytes: most writes are decided there.
package enum ForwardedBody: Sendable {
  /// The bytes.
  case encoded([UInt8])
  /// What they stand for.
  case value(any ForwardedContent)

  /// The bytes, which are made now if there are none.
  package var bytes: [UInt8] {
    switch self {
    case .encoded(let bytes): bytes
    case .value(let value): value.encoded
    }
  }

  /// The number of bytes that they are, or about as many.
  var sizeBytes: Int {
    switch self {
    case .encoded(let bytes): bytes.count
    case .value(let value): value.sizeBytes
    }
  }
}

extension ForwardedBody: Equatable {
  /// Returns true when their bytes are the same.
  package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension ForwardedBody: ExpressibleByArrayLiteral {
  /// These bytes.
  package init(arrayLiteral elements: UInt8...) { self = .encoded(elements) }
}

/// A body that is not told another process.
package protocol ForwardedContent: AnyObject, Sendable {
  /// The bytes that stand for it in another process.
  var encoded: [UInt8] { get }
  /// About how many those are.
  var sizeBytes: Int { get }
}
