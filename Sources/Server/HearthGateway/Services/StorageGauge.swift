import Synchronization

/// The last known availability of the journals' storage.
package final class StorageGauge: Sendable {
  private let away = Atomic(false)

  /// A gauge that reports available storage until the first check.
  package init() {}

  /// True when the storage does not answer.
  package var isAway: Bool {
    get { away.load(ordering: .relaxed) }
    set { away.store(newValue, ordering: .relaxed) }
  }
}
