import HearthClusterNode
import HearthGateway
import HearthJournal
import HearthSystem
import Logging
import Synchronization

/// A monitor that checks every few seconds that the store of the journals answers, so that readiness fails before a
/// write does, and logs changes for the operator.
struct JournalMonitor: Sendable {
  private let task: PeriodicTask

  /// Creates a running monitor.
  ///
  /// - Parameter node: this node of a cluster; nil outside of one. Its heartbeats are commits, which reveal a store that
  ///   answers and stores no data.
  /// - Returns: nil when the store is always available.
  init?(_ store: any JournalStore, _ gauge: StorageGauge, _ node: ClusterNode?, logger: Logger) {
    guard let seconds = store.checkPauseSeconds else { return nil }
    let isTidy = Atomic(false)
    task = PeriodicTask(every: .seconds(seconds)) {
      await BlockingThread.run {
        var state = store.check()
        if state == .alone, let node, !node.isLeaseValid {
          state = .unreachable("this node's heartbeats cannot be stored")
        }
        Self.note(state, of: store.product, gauge, logger)
        if !isTidy.exchange(true, ordering: .relaxed) { Self.removeLeftovers(store, logger) }
      }
    }
  }

  /// Stops after the current check.
  func stop() async { await task.stop() }

  private static func note(_ state: JournalStoreState, of product: String, _ gauge: StorageGauge, _ logger: Logger) {
    let isUnavailable = state != .alone
    defer { gauge.isUnavailable = isUnavailable }
    switch state {
    case .alone:
      if gauge.isUnavailable { logger.notice("\(product) answers again") }
    case .taken:
      if !gauge.isUnavailable {
        logger.critical("another server uses the same tables in \(product): stop one of the two")
      }
    case .unreachable(let text):
      if !gauge.isUnavailable {
        logger.error("\(product) does not answer; writes wait", metadata: ["error": "\(text)"])
      }
    }
  }

  private static func removeLeftovers(_ store: any JournalStore, _ logger: Logger) {
    do throws(JournalError) { try store.removeLeftovers() } catch {
      logger.warning(
        "remains of deleted databases cannot be removed before the next start", metadata: ["error": "\(error)"])
    }
  }
}
