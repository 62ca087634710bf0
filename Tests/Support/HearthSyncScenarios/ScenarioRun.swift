import HearthSync
import HearthTree

extension Scenario {
  /// Runs the scenario with all its paths below another one. Returns the first difference from the expected events, or
  /// nil when there is none.
  ///
  /// - Parameter base: The root or any other path.
  package func failure(below base: Path) -> String? {
    var run = ScenarioRun(base: base)
    for (i, step) in steps.enumerated() {
      do throws(ScenarioError) {
        try run.perform(step)
      } catch {
        return "step \(i + 1): \(error.description)"
      }
    }
    return nil
  }
}

/// The state of one scenario in progress.
private struct ScenarioRun {
  private typealias Expectation = Scenario.Expectation

  let base: Path
  private let tree = SyncTree()
  private var listens: Set<String> = []
  private var nextWriteID = 0
  private var nextRegistration = 0
  /// Registrations by callback number and query, by which a later step can end them.
  private var named: [(callback: Int?, query: QuerySpec, id: RegistrationID)] = []

  init(base: Path) { self.base = base }

  mutating func perform(_ step: Scenario.Step) throws(ScenarioError) {
    let events: [DataEvent]
    var isExact = false
    switch step.action {
    case .listen(let path, let query, let callback):
      nextRegistration += 1
      let (spec, id) = (QuerySpec(base.appending(path), query), RegistrationID(nextRegistration))
      named.append((callback, spec, id))
      events = tree.add(Registration(id, types: .all), to: spec)
      isExact = true
    case .unlisten(let path, let query, let callback):
      let spec = QuerySpec(base.appending(path), query)
      for (_, _, id) in named.filter({ $0.callback == callback && $0.query.path == spec.path }) {
        tree.remove(id, from: spec)
      }
      events = []
      isExact = true
    case .serverUpdate(let location, let node, let tag):
      events = tree.serverOverwrite(location.under(base), node, tag: tag)
    case .serverMerge(let path, let changes, let tag):
      events = tree.serverMerge(base.appending(path), changes, tag: tag)
    case .set(let location, let node, let isVisible):
      events = tree.userOverwrite(takeWriteID(), location.under(base), node, isVisible: isVisible)
    case .update(let path, let changes):
      events = tree.userMerge(takeWriteID(), base.appending(path), changes)
    case .ackUserWrite(let id, let isReverted):
      guard id < nextWriteID else { throw ScenarioError(description: "there is no write \(id)") }
      events = tree.settle(id, isReverted: isReverted)
    case .suppressWarning: events = []
    }
    try follow(tree.takeListenChanges())
    if isExact { try compareExactly(events, step.events) } else { try compare(events, step.events) }
  }

  private mutating func takeWriteID() -> Int {
    defer { nextWriteID += 1 }
    return nextWriteID
  }

  /// Checks that each listen begins once, and that only active listens end.
  private mutating func follow(_ changes: [ListenChange]) throws(ScenarioError) {
    for change in changes {
      switch change {
      case .start(let spec, let tag):
        guard listens.insert("\(spec) \(tag ?? 0)").inserted else {
          throw ScenarioError(description: "the server is asked twice for \(spec.path)")
        }
      case .stop(let spec, let tag):
        guard listens.remove("\(spec) \(tag ?? 0)") != nil else {
          throw ScenarioError(description: "a listen of \(spec.path) ends that has not begun")
        }
      }
    }
  }

  // MARK: Comparison

  private func compareExactly(_ actual: [DataEvent], _ expected: [Expectation]) throws(ScenarioError) {
    guard actual.count == expected.count else { throw mismatch(actual, expected) }
    for (event, wanted) in zip(actual, expected) {
      guard matches(event, wanted, withPrevious: wanted.type != .childRemoved) else { throw mismatch(actual, expected) }
    }
  }

  /// Compares the events of a step. Events at one location come together, deeper locations first; within a location any
  /// order passes in which each listener receives removals, additions, moves, changes and the value.
  private func compare(_ actual: [DataEvent], _ expected: [Expectation]) throws(ScenarioError) {
    guard actual.count == expected.count else { throw mismatch(actual, expected) }
    var (rest, wanted) = (actual[...], expected[...])
    while let first = wanted.first {
      let run = wanted.prefix { $0.path == first.path }
      var open = Array(run)
      var last: [QuerySpec: EventTypes] = [:]
      for event in rest.prefix(run.count) {
        guard event.query.path == base.appending(first.path) else { throw mismatch(actual, expected) }
        if let previous = last[event.query], previous.rawValue > event.type.rawValue {
          throw ScenarioError(description: "\(describe(event)) came too late: \(describe(actual))")
        }
        last[event.query] = event.type
        guard let place = open.firstIndex(where: { matches(event, $0, withPrevious: event.type != .childRemoved) })
        else {
          throw mismatch(actual, expected)
        }
        open.remove(at: place)
      }
      (rest, wanted) = (rest.dropFirst(run.count), wanted.dropFirst(run.count))
    }
  }

  private func matches(_ event: DataEvent, _ wanted: Expectation, withPrevious: Bool) -> Bool {
    event.query.path == base.appending(wanted.path) && event.type == wanted.type && event.key == wanted.name
      && (!withPrevious || event.previousKey == wanted.previousName)
      && event.node.simpleHash() == wanted.data.simpleHash()
  }

  // MARK: Descriptions

  private func mismatch(_ actual: [DataEvent], _ expected: [Expectation]) -> ScenarioError {
    let wanted = expected.map { describe($0.path, $0.type, $0.name, $0.previousName, $0.data) }
    return ScenarioError(
      description: "expected \(expected.count) events [\(wanted.joined(separator: ", "))], got \(describe(actual))")
  }

  private func describe(_ events: [DataEvent]) -> String {
    "\(events.count) [" + events.map { describe($0) }.joined(separator: ", ") + "]"
  }

  private func describe(_ event: DataEvent) -> String {
    describe(base.relative(event.query.path) ?? .root, event.type, event.key, event.previousKey, event.node)
  }

  private func describe(_ path: Path, _ type: EventTypes, _ key: Key?, _ previous: Key?, _ node: Node) -> String {
    let names: [UInt8: String] = [
      EventTypes.value.rawValue: "value", EventTypes.childAdded.rawValue: "child_added",
      EventTypes.childRemoved.rawValue: "child_removed", EventTypes.childChanged.rawValue: "child_changed",
      EventTypes.childMoved.rawValue: "child_moved",
    ]
    var text = "\(path) \(names[type.rawValue] ?? "")"
    if let key { text += " \(key)" }
    if let previous { text += " after \(previous)" }
    return text + " " + String(decoding: node.json(), as: UTF8.self)
  }
}
