import Synchronization

/// The low-space state of a database's disk.
final class LowSpace: Sendable {
  private let raw = Atomic(false)
  /// The last commit at which a snapshot to make room was considered.
  private let lookedAt = Atomic<Int64>(-1)

  /// True when space is low.
  var isLow: Bool { raw.load(ordering: .relaxed) }

  /// - Returns: True when the value changed.
  func set(_ isLow: Bool) -> Bool { raw.exchange(isLow, ordering: .relaxed) != isLow }

  /// - Returns: True when the position differs from the last one considered.
  func look(at position: Int64) -> Bool { lookedAt.exchange(position, ordering: .relaxed) != position }
}
