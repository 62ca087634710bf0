import NIOCore

/// A client that brings more than a turn takes: the rest waits in line with that of others, in order, and nothing more is
/// read from the client meanwhile. So what waits is no more than was read at once.
extension Socket: TurnTaker {
  /// Has the rest handled in turn.
  func joinLine() {
    guard !isInLine else { return }
    isInLine = true
    loop.turns.join(self)
  }

  /// Goes on with what was read before.
  package func takeTurn() {
    isInLine = false
    if state == .open || state == .closing {
      readFrames()
      finishReadCycle()
    }
    guard !isInLine else { return }
    if isLost { endLost() } else { readOn() }
  }

  /// Lets a read go on that was held, when nothing holds it any more.
  func readOn() {
    guard isReadHeld, !isInLine, let context, context.channel.isWritable || state != .open else { return }
    isReadHeld = false
    context.read()
  }

  /// The connection is gone. What waits for its turn is handled all the same: the client has said it.
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
