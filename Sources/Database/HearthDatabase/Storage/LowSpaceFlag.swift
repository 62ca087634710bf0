import Synchronization

/// The low-space state of a database's disk.
final class LowSpaceFlag: Sendable {
  private let raw = Atomic(false)

  /// True when space is low.
  var isLow: Bool { raw.load(ordering: .relaxed) }

  /// - Returns: True when the value changed.
  func set(_ isLow: Bool) -> Bool { raw.exchange(isLow, ordering: .relaxed) != isLow }
}
