import NIOCore

/// Handling a client that sends many requests at once: they take turns with those of other connections, and after some
/// responses the connection pauses reading.
extension HTTPHandler: RoundRobinMember {
  /// Queues the handler for a later turn when it has more requests than this turn handles.
  func joinQueue() {
    guard hasUsedUpTurn, !isQueued, !isPausedForRate else { return }
    isQueued = true
    loop.turns.join(self)
  }

  func takeTurn() {
    isQueued = false
    guard let context else { return }
    (isReading, turnLeft) = (true, loop.limits.turnMessagesMax)
    drain()
    finishReadCycle(context)
  }

  /// Stops reading the connection for a while: new input waits with the system, and then at the client.
  func pauseForRate(milliseconds: Int64) {
    isPausedForRate = true
    loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.isPausedForRate = false
      self.drain()
    }
  }
}
