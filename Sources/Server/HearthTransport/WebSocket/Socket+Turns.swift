import NIOCore

/// Handling a client that sends more than a turn handles: the rest waits in the queue with that of others, in order,
/// and the client is not read meanwhile. So the waiting input is no more than one read.
extension Socket: TurnTaker {
  /// Queues the socket for another turn.
  func joinLine() {
    guard !isInLine else { return }
    isInLine = true
    loop.turns.join(self)
  }

  /// Continues with the input that was read before.
  package func takeTurn() {
    isInLine = false
    if state == .open || state == .closing {
      readFrames()
      finishReadCycle()
    }
    guard !isInLine else { return }
    if isLost { endLost() } else { readOn() }
  }

  /// Resumes a postponed read, when no reason to postpone it remains.
  func readOn() {
    guard isReadHeld, !isInLine, let context, context.channel.isWritable || state != .open else { return }
    isReadHeld = false
    context.read()
  }

  /// Handles the end of the connection. Input that waits for its turn is still handled: the client has sent it.
  func lose() {
    endOutlet()
    isLost = true
    if state != .open || !isInLine { endLost() }
  }

  private func endLost() {
    state = .closed
    input = ByteBuffer()
    loop.remove(self)
    share.end()
    finish(.disconnected)
  }
}
