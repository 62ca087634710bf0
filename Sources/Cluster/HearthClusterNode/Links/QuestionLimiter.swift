import HearthCluster
import NIOCore
import Synchronization

/// A limiter of questions of one kind, with a maximum for each node, because a node refuses more at once.
package final class QuestionLimiter: Sendable {
  private struct NodeQueue {
    var pendingCount = 0
    var waiting = CircularBuffer<@Sendable () -> Void>()
  }

  private let pendingMax: Int
  private let waitingMax: Int
  private let queues = Mutex<[NodeID: NodeQueue]>([:])

  /// - Parameters:
  ///   - pendingMax: The maximum of pending questions to one node.
  ///   - waitingMax: The maximum of waiting questions to one node.
  package init(pendingMax: Int, waitingMax: Int) {
    (self.pendingMax, self.waitingMax) = (pendingMax, waitingMax)
  }

  /// Calls `ask` now, or when earlier questions have ended. The caller calls ``end(_:on:)`` when the question has
  /// ended.
  ///
  /// - Returns: False when too many wait; then the question is not asked.
  package func begin(_ node: NodeID, _ ask: @escaping @Sendable () -> Void) -> Bool {
    let isFree = queues.withLock { queues -> Bool? in
      guard queues[node, default: NodeQueue()].pendingCount >= pendingMax else {
        queues[node, default: NodeQueue()].pendingCount += 1
        return true
      }
      guard queues[node, default: NodeQueue()].waiting.count < waitingMax else { return nil }
      queues[node, default: NodeQueue()].waiting.append(ask)
      return false
    }
    if isFree == true { ask() }
    return isFree != nil
  }

  /// Ends a question, with or without an answer, and starts the next one on the loop.
  package func end(_ node: NodeID, on loop: any EventLoop) {
    let next = queues.withLock { queues -> (@Sendable () -> Void)? in
      if let next = queues[node]?.waiting.popFirst() { return next }
      queues[node]?.pendingCount -= 1
      return nil
    }
    if let next { loop.execute(next) }
  }
}
