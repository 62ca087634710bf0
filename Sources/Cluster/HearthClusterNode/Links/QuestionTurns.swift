import HearthCluster
import NIOCore
import Synchronization

/// Questions of one kind to other nodes, of which each gets only so many at a time: a node refuses what is too much at once.
package final class QuestionTurns: Sendable {
  private struct Turns {
    var underWay = 0
    var waiting = CircularBuffer<@Sendable () -> Void>()
  }

  private let underWayMax: Int
  private let waitingMax: Int
  private let turns = Mutex<[NodeID: Turns]>([:])

  /// - Parameters:
  ///   - underWayMax: to one node at a time.
  ///   - waitingMax: for one node.
  package init(underWayMax: Int, waitingMax: Int) {
    (self.underWayMax, self.waitingMax) = (underWayMax, waitingMax)
  }

  /// Asks now, or when others have ended. Whoever asks calls ``end(_:on:)`` after it.
  ///
  /// - Returns: False when too many wait; then it is not asked.
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

  /// One has its answer, or will have none: the next one's turn comes, on the loop.
  package func end(_ node: NodeID, on loop: any EventLoop) {
    let next = turns.withLock { turns -> (@Sendable () -> Void)? in
      if let next = turns[node]?.waiting.popFirst() { return next }
      turns[node]?.underWay -= 1
      return nil
    }
    if let next { loop.execute(next) }
  }
}
