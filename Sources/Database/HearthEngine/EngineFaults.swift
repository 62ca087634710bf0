import HearthTree

/// Faults in the following of live queries, and in what is done at the end of a connection, for the tests that must
/// notice them. An engine at work has none.
package struct EngineFaults: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A child that enters a window because another one left is not told.
  package static let noBackfill = EngineFaults(rawValue: 1)
  /// That a child leaves a window because another one entered is not told.
  package static let noEviction = EngineFaults(rawValue: 2)
  /// Kept orders stay as they were made.
  package static let staleOrder = EngineFaults(rawValue: 4)
  /// Replacing everything at once, or above, goes unnoticed.
  package static let noReplacement = EngineFaults(rawValue: 8)
  /// Listens with a query are decided as if they had none.
  package static let noQueryInRules = EngineFaults(rawValue: 16)
  /// What a connection wanted at its end is written without asking the rules.
  package static let noRulesAtEnd = EngineFaults(rawValue: 32)
  /// A session stays after what it wanted was done.
  package static let noEndOfSessions = EngineFaults(rawValue: 64)
  /// Who a connection is now is not noted with what it wants.
  package static let staleIdentities = EngineFaults(rawValue: 128)
  /// Listens in doubt are told as if they were not.
  package static let tellsInDoubt = EngineFaults(rawValue: 256)
  /// What listens missed while they were in doubt is not told.
  package static let noCatchUp = EngineFaults(rawValue: 512)

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
