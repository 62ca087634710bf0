import Synchronization

/// The last known availability of the journals' storage.
package final class StorageGauge: Sendable {
  private let unavailable = Atomic(false)

  /// Creates a gauge that reports available storage until the first check.
  package init() {}

  /// True when the storage does not answer.
  package var isUnavailable: Bool {
    get { unavailable.load(ordering: .relaxed) }
    set { unavailable.store(newValue, ordering: .relaxed) }
  }
}
