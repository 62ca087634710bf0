/// A command that takes long, set aside for the background.
public enum LargeCommand: Sendable {
  /// A write to decide, then settled by ``Engine/settle(_:at:)``.
  case write(LargeWrite)
  /// A comparison with a large value, then settled by ``Engine/settle(_:at:isLast:)``.
  case comparison(LargeComparison)
  /// A query of a large location to evaluate, then settled by ``Engine/settle(_:at:isLast:)``.
  case query(LargeQuery)

  /// The command as the engine got it.
  package var command: Command {
    switch self {
    case .write(let write): write.command
    case .comparison(let comparison): comparison.command
    case .query(let query): query.command
    }
  }

  /// True when equal commands of other clients have the same outcome.
  package var isShared: Bool {
    switch self {
    case .write: false
    case .comparison(let comparison): !comparison.isHashKnown
    case .query: true
    }
  }

  /// The locations that it replaces, where other writes must not precede it; empty when they are not known in advance.
  package var places: LocationSet {
    switch self {
    case .write(let write): write.places ?? LocationSet()
    case .comparison, .query: LocationSet()
    }
  }
}

extension Batch {
  /// The write that was set aside; nil when there is none.
  package var setAside: LargeWrite? { if case .write(let write) = largeCommand { write } else { nil } }
  /// The comparison that was set aside; nil when there is none.
  package var comparison: LargeComparison? { if case .comparison(let made) = largeCommand { made } else { nil } }
  /// The query that was set aside; nil when there is none.
  package var query: LargeQuery? { if case .query(let query) = largeCommand { query } else { nil } }
}
