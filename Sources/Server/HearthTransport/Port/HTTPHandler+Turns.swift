import NIOCore

/// A client that sends many requests at once: they are handled in turn with those of other connections, and after some
/// answers nothing more is taken for a moment.
extension HTTPHandler: TurnTaker {
  /// Has the requests that are there handled in a later turn, when they are more than this one takes.
  func joinLine() {
    guard isOverTurn, !isInLine, !isResting else { return }
    isInLine = true
    loop.turns.join(self)
  }

  func takeTurn() {
    isInLine = false
    guard let context else { return }
    (isReading, turnLeft) = (true, loop.limits.turnMessagesMax)
    drain()
    finishReadCycle(context)
  }

  /// Takes nothing more from the client for a while: what it sends waits with the system, and then with the client.
  func rest(milliseconds: Int64) {
    isResting = true
    loop.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      self.isResting = false
      self.drain()
    }
  }
}
