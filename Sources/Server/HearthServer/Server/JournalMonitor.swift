import HearthClusterNode
import HearthGateway
import HearthJournal
import HearthPostgres
import HearthSystem
import Logging
import Synchronization

/// A monitor that checks every few seconds that the PostgreSQL of the journals answers, so that readiness fails before
/// a write does, and logs changes for the operator.
struct JournalMonitor: Sendable {
  private let task: PeriodicTask

  /// A running monitor.
  ///
  /// - Parameter node: of a cluster, whose heartbeats are commits: they reveal a PostgreSQL that answers and stores no
  ///   data.
  /// - Returns: nil when journals are in the data folder.
  init?(_ engine: JournalEngine, _ gauge: StorageGauge, _ node: ClusterNode?, logger: Logger) {
    guard let sentry = engine.sentry else { return nil }
    let isTidy = Atomic(false)
    task = PeriodicTask(every: .seconds(PostgresLimits.lookPauseSeconds)) {
      await BlockingThread.run {
        var finding = sentry.find()
        if finding == .alone, let node, !node.believesLease { finding = .away("this node's heartbeats are not stored") }
        Self.note(finding, gauge, logger)
        if !isTidy.exchange(true, ordering: .relaxed) { Self.tidy(engine, logger) }
      }
    }
  }

  /// Stops after the current check.
  func stop() async { await task.stop() }

  private static func note(_ finding: PostgresSentry.Finding, _ gauge: StorageGauge, _ logger: Logger) {
    let isAway = finding != .alone
    defer { gauge.isAway = isAway }
    switch finding {
    case .alone:
      if gauge.isAway { logger.notice("PostgreSQL answers again") }
    case .taken:
      if !gauge.isAway { logger.critical("another server uses this server's tables in PostgreSQL: end one of them") }
    case .away(let text):
      if !gauge.isAway {
        logger.error("PostgreSQL does not answer: what is written waits", metadata: ["error": "\(text)"])
      }
    }
  }

  private static func tidy(_ engine: JournalEngine, _ logger: Logger) {
    do throws(JournalError) { try engine.removeLeftovers() } catch {
      logger.warning("what is left of deleted databases stays until the next start", metadata: ["error": "\(error)"])
    }
  }
}
