import HearthRules

/// The handler of rules deploys.
enum RulesDeployment {
  static func deploy(_ command: Command, _ rules: RuleSet, in engine: inout Engine) {
    guard let principal = engine.principal(of: command) else { return engine.fail(command, .unknownConnection) }
    guard principal.isAdministrator else { return engine.deny(command, .deployRules, .root, principal, nil) }
    let record = CommitRecord(
      wallMilliseconds: engine.now.wallMilliseconds,
      author: command.author(as: principal, on: engine.connections[command.connection], engine.limits),
      content: .rules(rules.source))
    guard engine.commit(record, root: engine.state.root) else { return engine.fail(command, .writeTooBig) }
    putInForce(rules, in: &engine)
    engine.reply(command, .ok)
  }

  /// Puts rules in force that are in the log already, and decides all listens again.
  static func putInForce(_ rules: RuleSet, in engine: inout Engine) {
    engine.state.use(rules, isCounted: engine.limits.countsRules)
    let changed = engine.queries.review(engine.state, &engine.listens)
    let cause = Cancellation.rules(position: engine.state.position)
    if engine.listens.count <= engine.limits.inlineRedecisionListensMax {
      RedecisionHandler.decideAgain(engine.listens.all(), because: cause, in: &engine)
    } else {
      let connections = engine.connections.all.sorted { $0.id.rawValue < $1.id.rawValue }
      engine.redecisions.decideAgain(connections, rules: RedecisionHandler.redecision(because: cause, in: &engine))
    }
    CommitDelivery.sendAll(changed, deciding: nil, in: &engine)
  }
}
