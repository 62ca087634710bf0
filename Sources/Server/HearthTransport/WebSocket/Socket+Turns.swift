import NIOCore

/// Handling a client that sends more than a turn handles: the rest waits, in order, in a queue with the input of other clients, and
/// the client is not read meanwhile. So the waiting input is no more than one read.
extension Socket: RoundRobinMember {
  /// Queues the socket for another turn.
  func joinQueue() {
    guard !isQueued else { return }
    isQueued = true
    loop.turns.join(self)
  }

  /// Continues with the input that was read before.
  package func takeTurn() {
    isQueued = false
    if state == .open || state == .closing {
      readFrames()
      finishReadCycle()
    }
    guard !isQueued else { return }
    if isLost { endLost() } else { resumeRead() }
  }

  /// Resumes a postponed read, when no reason to postpone it remains.
  func resumeRead() {
    guard isReadPaused, !isQueued, let context, context.channel.isWritable || state != .open else { return }
    isReadPaused = false
    context.read()
  }

  /// Handles the end of the connection. Input that waits for its turn is still handled: the client has sent it.
  func lose() {
    endOutlet()
    isLost = true
    if state != .open || !isQueued { endLost() }
  }

  private func endLost() {
    state = .closed
    input = ByteBuffer()
    loop.remove(self)
    share.end()
    finish(.disconnected)
  }
}
