import CoreMetrics
import HearthEngine
import HearthMetrics

/// What databases count: made once for all of a server, and touched without a lock.
public struct DatabaseMeters: Sendable {
  /// Nanoseconds on a clock that nobody can set; 0 always when nothing is measured.
  let now: @Sendable () -> UInt64
  private let writes: [Counter]
  private let listens: [Counter]
  private let commits: Counter
  private let bytes: Counter
  private let decide: CoreMetrics.Timer
  private let sync: CoreMetrics.Timer
  private let batchCommands: Recorder
  private let syncBatches: Recorder

  /// Nothing is measured.
  public static let none = DatabaseMeters(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: counts.
  ///   - nanoseconds: on a clock that nobody can set.
  public init(_ factory: any MetricsFactory, nanoseconds: @escaping @Sendable () -> UInt64) {
    now = nanoseconds
    writes = RequestTally.WriteOutcome.allCases.map { factory.counter(.writes, "\($0)") }
    listens = RequestTally.ListenOutcome.allCases.map { factory.counter(.listenRequests, "\($0)") }
    commits = factory.counter(.commits)
    bytes = factory.counter(.journalWritten)
    decide = factory.timer(.decide)
    sync = factory.timer(.sync)
    batchCommands = factory.recorder(.batchCommands)
    syncBatches = factory.recorder(.syncBatches)
  }

  /// A batch was decided, and its requests answered.
  ///
  /// - Parameter start: when deciding it began.
  func decided(_ batch: Batch, since start: UInt64) {
    guard start > 0 else { return }
    decide.recordNanoseconds(Int64(clamping: now() &- start))
    if batch.commandCount > 0 { batchCommands.record(Int64(batch.commandCount)) }
    answered(batch)
  }

  /// Requests were answered. What they wrote counts when it is durable.
  func answered(_ batch: Batch) {
    for outcome in RequestTally.WriteOutcome.allCases where outcome != .written { count(batch.tally[outcome], outcome) }
    for outcome in RequestTally.ListenOutcome.allCases {
      let count = batch.tally[outcome]
      if count > 0 { listens[outcome.rawValue].increment(by: Int64(count)) }
    }
  }

  /// Batches share an append that is done.
  ///
  /// - Parameter start: when it began.
  func stored(_ batches: [Batch], bytes sizeBytes: Int, since start: UInt64) {
    guard start > 0 else { return }
    sync.recordNanoseconds(Int64(clamping: now() &- start))
    syncBatches.record(Int64(batches.count))
    bytes.increment(by: Int64(sizeBytes))
    if let first = batches.first(where: \.hasCommits), let last = batches.last {
      commits.increment(by: last.state.position &- first.firstPosition &+ 1)
    }
  }

  /// What batches wrote is durable, or was nothing.
  func written(_ batches: [Batch]) {
    for batch in batches { count(batch.tally[.written], .written) }
  }

  /// What batches wrote is not durable, and will not be.
  func lost(_ batches: [Batch]) {
    for batch in batches { count(batch.tally[.written], .unavailable) }
  }

  private func count(_ count: Int, _ outcome: RequestTally.WriteOutcome) {
    if count > 0 { writes[outcome.rawValue].increment(by: Int64(count)) }
  }
}
