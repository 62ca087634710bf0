import NIOCore

/// A connection that may have brought more than one turn takes.
package protocol TurnTaker: AnyObject {
  /// Handles a turn's worth of what has come. Joins the line again when there is more.
  func takeTurn()
}

/// Connections of one event loop that have brought more than a turn takes. They go on one after the other, and between
/// some turns the loop looks at its other connections: whoever asks little waits for none who asks much.
///
/// Used on its event loop only.
package final class TurnLine {
  private let eventLoop: any EventLoop
  private let limits: TransportLimits
  private var line = CircularBuffer<any TurnTaker>(initialCapacity: 4)
  private var isScheduled = false

  init(eventLoop: any EventLoop, limits: TransportLimits) { (self.eventLoop, self.limits) = (eventLoop, limits) }

  /// Connections whose turn is still to come.
  var count: Int { line.count }

  /// Gives a connection its turn behind those that are in line. It joins once until then.
  package func join(_ taker: any TurnTaker) {
    line.append(taker)
    guard !isScheduled else { return }
    isScheduled = true
    // The loop has looked at its other connections in this pass.
    eventLoop.assumeIsolated().execute { self.run() }
  }

  private func run() {
    var left = limits.turnsMax
    while left > 0, let taker = line.popFirst() {
      left -= 1
      taker.takeTurn()
    }
    isScheduled = !line.isEmpty
    guard isScheduled else { return }
    // SwiftNIO runs whatever is due before it looks at sockets.
    eventLoop.assumeIsolated().scheduleTask(in: .microseconds(limits.turnPauseMicroseconds)) { self.run() }
  }
}
