import NIOCore

/// The queued messages of outlets, as chains: outlets with the same messages share one chain, which is joined once.
///
/// Chains are numbered; 0 is the empty one. A chain is another one followed by a message, so outlets that are sent the
/// same three events share a chain, and a response for one client alone is a branch of it.
struct QueuedChains {
  private struct Chain {
    let parent: Int32
    let sizeBytes: Int
    let last: ByteBuffer
    /// The joined chain; nil until it is first needed.
    var whole: ByteBuffer?
  }

  private var chains: [Chain] = [Chain(parent: 0, sizeBytes: 0, last: ByteBuffer(), whole: ByteBuffer())]

  /// Returns the chain that has a message behind this one.
  mutating func append(_ message: ByteBuffer, to chain: Int32) -> Int32 {
    let sizeBytes = chains[Int(chain)].sizeBytes + message.readableBytes
    chains.append(Chain(parent: chain, sizeBytes: sizeBytes, last: message, whole: chain == 0 ? message : nil))
    return Int32(truncatingIfNeeded: chains.count - 1)
  }

  func sizeBytes(of chain: Int32) -> Int { chains[Int(chain)].sizeBytes }

  /// Returns all messages of a chain in order.
  mutating func bytes(of chain: Int32) -> ByteBuffer {
    if let whole = chains[Int(chain)].whole { return whole }
    var (messages, at): ([ByteBuffer], Int32) = ([], chain)
    while at != 0 {
      messages.append(chains[Int(at)].last)
      at = chains[Int(at)].parent
    }
    var whole = ByteBufferAllocator().buffer(capacity: chains[Int(chain)].sizeBytes)
    for message in messages.reversed() { whole.writeImmutableBuffer(message) }
    chains[Int(chain)].whole = whole
    return whole
  }

  /// True when there is no chain but the empty one.
  var isEmpty: Bool { chains.count == 1 }
  var count: Int { chains.count - 1 }

  /// Removes all chains but the empty one.
  mutating func removeAll() { chains.removeLast(chains.count - 1) }
}
