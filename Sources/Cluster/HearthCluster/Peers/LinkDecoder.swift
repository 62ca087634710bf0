import HearthBytes

/// Cuts what comes over a connection into messages.
///
/// The first is a greeting, within a few hundred bytes: who does not send one is no node, and nothing larger is held for
/// it. No other is one.
package struct LinkDecoder: Sendable {
  /// The most that a greeting takes.
  static let helloBytesMax = 256

  private var bytes: [UInt8] = []
  private var offset = 0
  private var hasGreeted = false

  /// The beginning of a connection.
  package init() {}

  /// Bytes came.
  package mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

  /// The next message that is there as a whole.
  ///
  /// - Throws: ``MalformedBytes``, after which the connection is to be closed.
  package mutating func next() throws(MalformedBytes) -> LinkMessage? {
    var reader = ByteReader(bytes[offset...])
    guard reader.remaining >= 4 else { return nil }
    let length = Int(try reader.number(UInt32.self))
    guard length <= (hasGreeted ? ClusterLimits.messageBytesMax : Self.helloBytesMax) else {
      throw MalformedBytes("a message of \(length) bytes")
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
