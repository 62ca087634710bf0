import HearthEngine

/// The waiting commands of one sender, in order.
struct PendingCommands: Sendable {
  private var commands: [Command] = []
  /// The index of the first command that was not taken.
  private var head = 0

  var count: Int { commands.count - head }

  mutating func append(_ command: Command) { commands.append(command) }

  mutating func append(_ more: [Command]) { commands += more }

  mutating func prepend(_ more: some Collection<Command>) {
    commands.replaceSubrange(..<head, with: more)
    head = 0
  }

  mutating func take(_ countMax: Int) -> ArraySlice<Command> {
    let taken = commands[head..<head + min(countMax, count)]
    head += taken.count
    // Removes taken commands only when they are half of all, so that moving the others takes amortized constant time.
    if head * 2 >= commands.count {
      commands.removeFirst(head)
      head = 0
    }
    return taken
  }
}
