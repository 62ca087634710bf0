/// The state of storage: whether changes can be made durable, and whose changes are accepted.
struct StorageCondition {
  /// True after decisions could not be made durable; no more are made.
  var isHalted = false
  /// The failure for changes while storing is impossible for the moment, as with a full disk; nil otherwise. The
  /// database's `AppendRetry` sets and ends it.
  var stall: Failure?
  /// True while the disk has little room, which is reserved for administrators.
  var isLow = false

  /// True while storing is impossible for the moment.
  var isStalled: Bool { stall != nil }

  /// Returns the reason to refuse an action independently of the rules, or nil when there is none.
  ///
  /// - Parameter principal: The caller; nil when it is unknown.
  func refusal(of action: Command.Action, by principal: @autoclosure () -> Principal?) -> Failure? {
    if isHalted { return .unavailable }
    guard isStalled || isLow, action.isChange else { return nil }
    if let stall { return stall }
    return action.isAdministration && principal()?.isAdministrator == true ? nil : .lowSpace
  }
}

extension Command.Action {
  /// True when administrators may do it while the disk has little room: it frees space, or puts rules in force.
  fileprivate var isAdministration: Bool {
    switch self {
    case .write(let operation): !operation.change.addsData
    case .transact, .deployRules, .cancelOnDisconnect: true
    case .connect, .disconnect, .authenticate, .unauthenticate, .onDisconnect, .listen, .unlisten, .get, .barrier,
      .endCredential, .turnsDelivered, .tick:
      false
    }
  }
}

extension Engine {
  /// Refuses all commands from now on, because decisions could not be made durable.
  public mutating func halt() {
    storage.isHalted = true
    onDisconnects.halt()
    TurnHandler.end(.unavailable, in: &self)
  }

  /// Sets the failure with which changes are refused from now on, or nil to accept them again. Changes of the engine's
  /// own accord meanwhile, as at a disconnect, become durable afterwards.
  package mutating func setStalled(_ refusal: Failure?) {
    let wasStalled = storage.isStalled
    storage.stall = refusal
    guard storage.isStalled != wasStalled else { return }
    onDisconnects.setStalled(storage.isStalled)
    if let refusal { TurnHandler.end(refusal, in: &self) }
  }

  /// Sets whether changes are refused except for those of administrators that free space or put rules in force. Changes
  /// of the engine's own accord, as at a disconnect, are still made.
  package mutating func setSpaceLow(_ isLow: Bool) {
    guard isLow != storage.isLow else { return }
    storage.isLow = isLow
    if isLow { TurnHandler.end(.lowSpace, in: &self) }
  }

  /// Returns a batch with only answers.
  package mutating func answer(_ answers: [(Command, Reply)]) -> Batch {
    for (command, answer) in answers { reply(command, answer) }
    defer { (effects, tally) = ([], RequestTally()) }
    return Batch(
      payload: [], firstPosition: state.position + 1, commandCount: answers.count, effects: effects, state: state,
      tally: tally)
  }
}
