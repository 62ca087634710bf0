import Synchronization

/// True when what keeps the journals answers, as it was last looked at.
package final class StorageGauge: Sendable {
  private let away = Atomic(false)

  /// It answers, as far as anybody knows.
  package init() {}

  /// It does not.
  package var isAway: Bool {
    get { away.load(ordering: .relaxed) }
    set { away.store(newValue, ordering: .relaxed) }
  }
}
