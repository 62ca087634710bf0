import HearthCluster
import NIOCore
import Synchronization

/// A limiter of questions of one kind, with a maximum for each node, because a node refuses more at once.
package final class QuestionTurns: Sendable {
  private struct Turns {
    var underWay = 0
    var waiting = CircularBuffer<@Sendable () -> Void>()
  }

  private let underWayMax: Int
  private let waitingMax: Int
  private let turns = Mutex<[NodeID: Turns]>([:])

  /// - Parameters:
  ///   - underWayMax: The maximum of pending questions to one node.
  ///   - waitingMax: The maximum of waiting questions to one node.
  package init(underWayMax: Int, waitingMax: Int) {
    (self.underWayMax, self.waitingMax) = (underWayMax, waitingMax)
  }

  /// Asks now, or when earlier questions have ended. The caller calls ``end(_:on:)`` after it.
  ///
  /// - Returns: False when too many wait; then the question is not asked.
  package func begin(_ node: NodeID, _ ask: @escaping @Sendable () -> Void) -> Bool {
    let isTurn = turns.withLock { turns -> Bool? in
      guard turns[node, default: Turns()].underWay >= underWayMax else {
        turns[node, default: Turns()].underWay += 1
        return true
      }
      guard turns[node, default: Turns()].waiting.count < waitingMax else { return nil }
      turns[node, default: Turns()].waiting.append(ask)
      return false
    }
    if isTurn == true { ask() }
    return isTurn != nil
  }

  /// Ends a question, with or without an answer, and starts the next one on the loop.
  package func end(_ node: NodeID, on loop: any EventLoop) {
    let next = turns.withLock { turns -> (@Sendable () -> Void)? in
      if let next = turns[node]?.waiting.popFirst() { return next }
      turns[node]?.underWay -= 1
      return nil
    }
    if let next { loop.execute(next) }
  }
}
