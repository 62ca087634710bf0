import HearthTree

/// Faults that tests inject into an engine, to show that the test suites detect them. A server's engine has none.
package struct InjectedFaults: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A child that enters a window because another one left is not sent.
  package static let noBackfill = InjectedFaults(rawValue: 1)
  /// The departure of a child from a window because another one entered is not sent.
  package static let noEviction = InjectedFaults(rawValue: 2)
  /// Indexes are not updated after their creation.
  package static let staleOrder = InjectedFaults(rawValue: 4)
  /// A replacement of the whole queried location, or of one above it, does not update live queries.
  package static let noReplacement = InjectedFaults(rawValue: 8)
  /// Listens with a query are decided as if they had none.
  package static let noQueryInRules = InjectedFaults(rawValue: 16)
  /// The engine executes on-disconnect writes without a rules decision.
  package static let noRulesOnDisconnect = InjectedFaults(rawValue: 32)
  /// A session stays after its on-disconnect writes were executed.
  package static let noEndOfSessions = InjectedFaults(rawValue: 64)
  /// A connection's change of identity is not recorded with its on-disconnect writes.
  package static let staleIdentities = InjectedFaults(rawValue: 128)
  /// Listens in doubt receive events as if they were permitted.
  package static let sendsWhileInDoubt = InjectedFaults(rawValue: 256)
  /// Listens do not receive the events that they missed while they were in doubt.
  package static let noCatchUp = InjectedFaults(rawValue: 512)

  func applied(to steps: [QueryWindow.Step]) -> [QueryWindow.Step] {
    if isEmpty { return steps }
    let (entered, left) = (steps.contains(where: \.isEntering), steps.contains(where: \.isLeaving))
    guard entered, left else { return steps }
    return steps.filter { step in
      !(contains(.noBackfill) && step.isEntering) && !(contains(.noEviction) && step.isLeaving)
    }
  }
}

extension QueryWindow.Step {
  fileprivate var isEntering: Bool { if case .entered = self { true } else { false } }
  fileprivate var isLeaving: Bool { if case .left = self { true } else { false } }
}
