/// A command that takes long, set aside to be worked on beside the others.
public enum LargeCommand: Sendable {
  /// A write: to be decided.
  case write(LargeWrite)
  /// A command that compares a large value: to be compared, and then decided.
  case comparison(LargeComparison)

  /// As it was handed over.
  package var command: Command {
    switch self {
    case .write(let write): write.command
    case .comparison(let comparison): comparison.command
    }
  }

  /// The places that it replaces, where others must not write before it; empty when that is not known before it is worked on.
  package var places: PlaceSet {
    switch self {
    case .write(let write): write.places ?? PlaceSet()
    case .comparison: PlaceSet()
    }
  }
}

extension Batch {
  /// The command that was set aside.
  package var largeCommand: LargeCommand? {
    setAside.map { .write($0) } ?? comparison.map { .comparison($0) }
  }
}
