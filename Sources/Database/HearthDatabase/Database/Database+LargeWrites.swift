import HearthEngine

/// Commands that wait for one that takes long: see ``LargeCommandWorker``.
extension Database {
  /// What of these commands is decided now; the rest waits for the large write under way.
  func admitted(_ commands: ArraySlice<Command>, isReleased: Bool = false) -> ArraySlice<Command> {
    desk.withLock { desk in
      engine.withLock { engine in
        desk.admit(commands, isReleased: isReleased) { $0.replaces($1, in: engine.state.sessions) }[...]
      }
    }
  }

  /// Decides commands that waited for a large write, a share of them. On the deciding queue.
  ///
  /// - Returns: Whether there were any.
  func decideReleased() -> Bool {
    let commands = desk.withLock { $0.current == nil ? $0.takeReleased(limits.engine.batchCommandsMax / 2) : [] }
    guard !commands.isEmpty else { return false }
    decide(commands[...], isReleased: true)
    return true
  }
}
