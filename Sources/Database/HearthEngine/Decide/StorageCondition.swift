/// The state of storage, which determines whether changes can be made durable and which principals' changes are
/// accepted.
struct StorageCondition {
  /// True after decisions could not be made durable; the engine then refuses all commands.
  var isHalted = false
  /// The failure for changes while storing is impossible for the moment, as with a full disk; nil otherwise. The
  /// database's `AppendRetry` sets and ends it.
  var stall: Failure?
  /// True while the disk has little room, which is reserved for administrators.
  var isLow = false

  /// True while storing is impossible for the moment.
  var isStalled: Bool { stall != nil }

  /// Returns the reason to refuse an action before the rules are evaluated, or nil when there is none.
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
  /// True for an action that administrators may perform while the disk has little space: one that frees space, or puts
  /// rules in force.
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

  /// Sets the failure with which changes are refused from now on, or nil to accept them again. Changes that no client
  /// requests, such as on-disconnect writes, are still made, and become durable when the stall ends.
  package mutating func setStalled(_ refusal: Failure?) {
    let wasStalled = storage.isStalled
    storage.stall = refusal
    guard storage.isStalled != wasStalled else { return }
    onDisconnects.setStalled(storage.isStalled)
    if let refusal { TurnHandler.end(refusal, in: &self) }
  }

  /// Sets whether changes are refused except for those of administrators that free space or put rules in force. Changes
  /// that no client requests, such as on-disconnect writes, are still made.
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
