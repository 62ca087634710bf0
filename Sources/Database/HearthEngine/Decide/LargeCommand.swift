/// A command that takes long, which the engine leaves undecided so that its work is done in the background.
public enum LargeCommand: Sendable {
  /// A write to decide in the background, then to commit by ``Engine/settle(_:at:)``.
  case write(LargeWrite)
  /// A comparison with a large value to make in the background; ``Engine/settle(_:at:isLast:)`` then decides the
  /// command.
  case comparison(LargeComparison)
  /// A query of a large location to evaluate in the background; ``Engine/settle(_:at:isLast:)`` then decides the
  /// command.
  case query(LargeQuery)

  /// The command as it was submitted.
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

  /// The locations that the command replaces, to which other writes must wait; empty when they are not known in
  /// advance.
  package var places: LocationSet {
    switch self {
    case .write(let write): write.places ?? LocationSet()
    case .comparison, .query: LocationSet()
    }
  }
}

extension Batch {
  /// The large write to decide in the background; nil when there is none.
  package var setAside: LargeWrite? { if case .write(let write) = largeCommand { write } else { nil } }
  /// The comparison to make in the background; nil when there is none.
  package var comparison: LargeComparison? { if case .comparison(let made) = largeCommand { made } else { nil } }
  /// The query to evaluate in the background; nil when there is none.
  package var query: LargeQuery? { if case .query(let query) = largeCommand { query } else { nil } }
}
