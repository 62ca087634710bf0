/// What can be made durable now, and of whom it is taken.
struct StorageCondition {
  /// What was decided could not be made durable: nothing is decided any more.
  var isHalted = false
  /// Nothing can be stored at the moment, as without room on the disk: what those are told who would change something
  /// until it can.
  var stall: Failure?
  /// There is little room on the disk, and it is kept for administrators.
  var isLow = false

  /// True when nothing can be stored at the moment.
  var isStalled: Bool { stall != nil }

  /// Returns the reason why an action is refused whatever the rules say; nil when it is not.
  ///
  /// - Parameter principal: who asks, where that is known.
  func refusal(of action: Command.Action, by principal: @autoclosure () -> Principal?) -> Failure? {
    if isHalted { return .unavailable }
    guard isStalled || isLow, action.isChange else { return nil }
    if let stall { return stall }
    return action.isAdministration && principal()?.isAdministrator == true ? nil : .lowSpace
  }
}

extension Command.Action {
  /// True when an administrator may ask for it when there is little room: it makes room, or puts rules in force.
  fileprivate var isAdministration: Bool {
    switch self {
    case .write(let operation): !operation.change.bringsData
    case .transact, .deployRules, .cancelOnDisconnect: true
    case .connect, .disconnect, .authenticate, .unauthenticate, .onDisconnect, .listen, .unlisten, .get, .barrier,
      .endCredential, .turnsTold, .tick:
      false
    }
  }
}

extension Engine {
  /// Refuses everything from now on, because what was decided could not be made durable.
  public mutating func halt() {
    storage.isHalted = true
    onDisconnects.halt()
    endTurns(.unavailable)
  }

  /// Refuses changes from now on in these words, or takes them again. What happens by itself meanwhile, as at the end of a
  /// connection, is made durable afterwards.
  package mutating func setStalled(_ refusal: Failure?) {
    let wasStalled = storage.isStalled
    storage.stall = refusal
    guard storage.isStalled != wasStalled else { return }
    onDisconnects.setStalled(storage.isStalled)
    if let refusal { endTurns(refusal) }
  }

  /// Refuses changes from now on but for those of administrators that make room or put rules in force, or takes them
  /// again. What happens by itself meanwhile, as at the end of a connection, happens.
  package mutating func setSpaceLow(_ isLow: Bool) {
    guard isLow != storage.isLow else { return }
    storage.isLow = isLow
    if isLow { endTurns(.lowSpace) }
  }

  /// A batch that does nothing but refuse.
  package mutating func refuse(_ command: Command, _ failure: Failure) -> Batch {
    answer([(command, .failure(failure))])
  }

  /// A batch that does nothing but answer.
  package mutating func answer(_ answers: [(Command, Reply)]) -> Batch {
    for (command, answer) in answers { reply(command, answer) }
    defer { (effects, tally) = ([], RequestTally()) }
    return Batch(
      payload: [], firstPosition: state.position + 1, commandCount: answers.count, effects: effects, state: state,
      tally: tally)
  }
}
