/// A command that takes long, set aside for the background.
public enum LargeCommand: Sendable {
  /// A write to be decided.
  case write(LargeWrite)
  /// A command with a large comparison, which is decided after it.
  case comparison(LargeComparison)

  /// The command as it was submitted.
  package var command: Command {
    switch self {
    case .write(let write): write.command
    case .comparison(let comparison): comparison.command
    }
  }

  /// The locations that it replaces, where other writes must not precede it; empty when they are not known in advance.
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
