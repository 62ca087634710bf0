/// A command that takes long, set aside to be worked on beside the others.
public enum LargeCommand: Sendable {
  /// A write: to be decided, then settled by ``Engine/settle(_:at:)``.
  case write(LargeWrite)
  /// A command that compares a large value: to be compared, then settled by ``Engine/settle(_:at:isLast:)``.
  case comparison(LargeComparison)
  /// A query of a large place: to be worked out, then settled by ``Engine/settle(_:at:isLast:)``.
  case query(LargeQuery)

  /// The command as the engine got it.
  package var command: Command {
    switch self {
    case .write(let write): write.command
    case .comparison(let comparison): comparison.command
    case .query(let query): query.command
    }
  }

  /// True when its outcome is also that of equal commands of other clients.
  package var isShared: Bool {
    switch self {
    case .write: false
    case .comparison(let comparison): !comparison.isHashKnown
    case .query: true
    }
  }

  /// The places that it replaces, where others must not write before it; empty when that is not known before it is worked on.
  package var places: PlaceSet {
    switch self {
    case .write(let write): write.places ?? PlaceSet()
    case .comparison, .query: PlaceSet()
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
