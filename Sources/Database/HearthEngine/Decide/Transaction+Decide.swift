import HearthTree

/// Changes that are computed from the newest state.
extension Transaction {
  /// Decides the command of the transaction.
  func decide(_ command: Command, in engine: inout Engine) {
    guard let principal = engine.principal(of: command) else { return engine.fail(command, .unknownConnection) }
    guard principal.isAdministrator else { return engine.deny(command, .transact, .root, principal, nil) }
    let (state, limits) = (engine.state, engine.limits)
    do {
      guard let planned = try planned(on: state.root, after: state.position, at: engine.now, limits) else {
        return engine.reply(command, .ok)
      }
      let author = command.author(as: principal, on: engine.connections[command.connection], limits)
      guard WriteHandler.commit(planned, of: author, by: principal, in: &engine) else {
        return engine.fail(command, .writeTooBig)
      }
      engine.reply(command, .ok)
    } catch {
      engine.fail(command, error)
    }
  }
}
