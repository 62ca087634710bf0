import HearthBytes

/// The decoder of a connection's messages.
///
/// The first message must be a hello of a few hundred bytes at most, so that a client that is not a node cannot make
/// the decoder buffer more. A later message must not be a hello.
package struct LinkDecoder: Sendable {
  /// The maximum size of a hello.
  static let helloBytesMax = 256

  private var bytes: [UInt8] = []
  private var offset = 0
  private var hasGreeted = false

  /// A decoder at the beginning of a connection.
  package init() {}

  /// Appends received bytes.
  package mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// Returns the next complete message; nil when more bytes are needed.
  ///
  /// - Throws: ``MalformedBytes``, after which the connection is to be closed.
  package mutating func next() throws(MalformedBytes) -> LinkMessage? {
    var reader = ByteReader(bytes[offset...])
    guard reader.remaining >= 4 else { return nil }
    let length = Int(try reader.number(UInt32.self))
    guard length <= (hasGreeted ? ClusterLimits.messageBytesMax : Self.helloBytesMax) else {
      throw MalformedBytes("a message of \(length) bytes is too long")
    }
    guard reader.remaining >= length else {
      bytes.removeFirst(offset)
      offset = 0
      return nil
    }
    let start = offset + 4
    offset = start + length
    let message = try LinkMessage(encoded: bytes[start..<offset])
    if case .hello = message {
      if hasGreeted { throw MalformedBytes("a second greeting") }
      hasGreeted = true
    } else if !hasGreeted {
      throw MalformedBytes("no greeting")
    }
    if offset == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      offset = 0
    }
    return message
  }
}
