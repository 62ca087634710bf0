import HearthTree

/// Changes that are worked out on the newest state.
extension Engine {
  mutating func transact(_ command: Command, _ transaction: Transaction) {
    guard let principal = principal(of: command) else { return fail(command, .unknownConnection) }
    guard principal.isAdministrator else { return deny(command, .transact, .root, principal, nil) }
    var draft = TransactionDraft(root: state.root, now: now)
    guard transaction.body(&draft) else { return reply(command, .ok) }
    let changes: [Commit.Change]
    do {
      changes = try draft.changes(limits: limits)
    } catch {
      return fail(command, error)
    }
    let isMerge = changes.first?.location.path.isRoot == false
    let planned = Commit(
      position: state.position + 1, base: .root, isMerge: isMerge, changes: changes, oldRoot: state.root,
      newRoot: draft.root)
    let author = command.author(as: principal, on: connections[command.connection], limits)
    guard commit(planned, of: author, by: principal) else { return fail(command, .writeTooBig) }
    reply(command, .ok)
  }
}
