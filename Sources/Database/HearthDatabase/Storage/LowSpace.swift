import Synchronization

/// That there is little room on the disk, for a database.
final class LowSpace: Sendable {
  private let raw = Atomic(false)
  /// The last commit at which it was looked at whether a snapshot would make room.
  private let lookedAt = Atomic<Int64>(-1)

  /// True when there is little room.
  var isLow: Bool { raw.load(ordering: .relaxed) }

  /// - Returns: Whether that is something new.
  func set(_ isLow: Bool) -> Bool { raw.exchange(isLow, ordering: .relaxed) != isLow }

  /// - Returns: Whether the state at a position was not looked at before.
  func look(at position: Int64) -> Bool { lookedAt.exchange(position, ordering: .relaxed) != position }
}
