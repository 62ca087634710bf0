import HearthTree

/// Changes that are worked out on the newest state.
extension Engine {
  mutating func transact(_ command: Command, _ transaction: Transaction) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    guard principal.isAdministrator else { return deny(command, .transact, .root, principal, nil) }
    do {
      guard let planned = try transaction.planned(on: state.root, after: state.position, at: now, limits) else {
        return reply(command, .ok)
      }
      let author = command.author(as: principal, on: connections[command.connection], limits)
      guard commit(planned, of: author, by: principal) else { return fail(command, .writeTooBig) }
      reply(command, .ok)
    } catch {
      fail(command, error)
    }
  }
}
