import HearthEngine

/// Commands of one sender that wait, in order.
struct PendingCommands: Sendable {
  private var commands: [Command] = []
  /// Those before it are taken.
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
    // Half of them, so that moving the others is paid for by those that are gone.
    if head * 2 >= commands.count {
      commands.removeFirst(head)
      head = 0
    }
    return taken
  }
}
