import NIOCore

/// A connection that may have received more than one turn handles.
package protocol RoundRobinMember: AnyObject {
  /// Handles a turn's worth of input. Joins the queue again when there is more.
  func takeTurn()
}

/// A queue of connections of one event loop that have received more than a turn handles. They continue one after the
/// other, and between some turns the loop polls its other connections: a client with few requests waits for none with
/// many.
///
/// Used on its event loop only.
package final class RoundRobinQueue {
  private let eventLoop: any EventLoop
  private let limits: TransportLimits
  private var queue = CircularBuffer<any RoundRobinMember>(initialCapacity: 4)
  private var isScheduled = false

  init(eventLoop: any EventLoop, limits: TransportLimits) { (self.eventLoop, self.limits) = (eventLoop, limits) }

  /// The number of connections that wait for their turn.
  var count: Int { queue.count }

  /// Queues a connection behind those that wait. It may join once until its turn.
  package func join(_ member: any RoundRobinMember) {
    queue.append(member)
    guard !isScheduled else { return }
    isScheduled = true
    // The loop has polled its other connections in this pass.
    eventLoop.assumeIsolated().execute { self.run() }
  }

  private func run() {
    var left = limits.turnsMax
    while left > 0, let member = queue.popFirst() {
      left -= 1
      member.takeTurn()
    }
    isScheduled = !queue.isEmpty
    guard isScheduled else { return }
    // SwiftNIO runs due tasks before it polls sockets.
    eventLoop.assumeIsolated().scheduleTask(in: .microseconds(limits.turnPauseMicroseconds)) { self.run() }
  }
}
