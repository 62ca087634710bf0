import HearthTree

/// Changes that are worked out on the newest state.
extension Engine {
  mutating func transact(_ command: Command, _ transaction: Transaction) {
    guard let identity = identity(of: command) else { return fail(command, .unknownConnection) }
    guard identity.isAdministrator else { return deny(command, .transact, .root, identity, nil) }
    var draft = TransactionDraft(root: state.root, now: now)
    guard transaction.body(&draft) else { return reply(command, .ok) }
    let changes: [Commit.Change]
    do {
      changes = try draft.changes(limits: limits)
    } catch {
      return fail(command, error)
    }
    if !changes.isEmpty {
      let oldRoot = state.root
      let record = CommitRecord(
        wallMilliseconds: now.wallMilliseconds, content: .changes(changes.map { ($0.location, $0.node) }))
      guard commit(record, root: draft.root) else { return fail(command, .writeTooBig) }
      announce(
        Commit(
          position: state.position, base: .root, isMerge: !changes[0].location.path.isRoot, changes: changes,
          oldRoot: oldRoot, newRoot: draft.root))
    }
    reply(command, .ok)
  }
}
