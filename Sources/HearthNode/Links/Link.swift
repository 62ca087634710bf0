import HearthCluster
import NIOCore
import Synchronization

/// A connection to a node that has greeted: what is sent over it comes in order, or it ends.
final class Link: Sendable {
  /// The run of the node that it leads to.
  let peer: Incarnation
  private let channel: any Channel
  private let limits: LinkLimits
  private let unsentBytes = Atomic<Int>(0)

  init(_ peer: Incarnation, _ channel: any Channel, _ limits: LinkLimits) {
    (self.peer, self.channel, self.limits) = (peer, channel, limits)
  }

  /// Sends a message, from any thread; those of one thread come in their order. When too much waits, the connection ends
  /// instead: a message in between must not be missing.
  func send(_ message: LinkMessage) {
    let bytes = message.encoded
    let waiting = unsentBytes.add(bytes.count, ordering: .relaxed).newValue
    guard waiting <= limits.unsentBytesMax else { return end(.overflow(bytes: waiting)) }
    channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { [self] _ in
      unsentBytes.subtract(bytes.count, ordering: .relaxed)
    }
  }

  /// Ends the connection; on its event loop at once.
  func end(_ problem: LinkProblem) { channel.pipeline.fireUserInboundEventTriggered(problem) }
}
