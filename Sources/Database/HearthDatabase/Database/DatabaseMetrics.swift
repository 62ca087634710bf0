import CoreMetrics
import HearthEngine
import HearthMetrics

/// The metrics of all databases of a server, recorded without a lock.
public struct DatabaseMetrics: Sendable {
  /// Reads nanoseconds on a monotonic clock; always 0 when metrics are off.
  let now: @Sendable () -> UInt64
  private let writes: [Counter]
  private let listens: [Counter]
  private let commits: Counter
  private let bytes: Counter
  private let decide: CoreMetrics.Timer
  private let sync: CoreMetrics.Timer
  private let batchCommands: Recorder
  private let syncBatches: Recorder

  /// The metrics that record nothing.
  public static let none = DatabaseMetrics(NOOPMetricsHandler.instance, nanoseconds: { 0 })

  /// - Parameters:
  ///   - factory: The factory of the counters and timers.
  ///   - nanoseconds: Reads a monotonic clock.
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

  /// Records that a batch was decided, and its requests answered.
  ///
  /// - Parameter start: The time when deciding it began.
  func decided(_ batch: Batch, since start: UInt64) {
    guard start > 0 else { return }
    decide.recordNanoseconds(Int64(clamping: now() &- start))
    if batch.commandCount > 0 { batchCommands.record(Int64(batch.commandCount)) }
    answered(batch)
  }

  /// Records answered requests. Their writes count once they are durable.
  func answered(_ batch: Batch) {
    for outcome in RequestTally.WriteOutcome.allCases where outcome != .written { count(batch.tally[outcome], outcome) }
    for outcome in RequestTally.ListenOutcome.allCases {
      let count = batch.tally[outcome]
      if count > 0 { listens[outcome.rawValue].increment(by: Int64(count)) }
    }
  }

  /// Records a completed append that batches shared.
  ///
  /// - Parameter start: The time when it began.
  func stored(_ batches: [Batch], bytes sizeBytes: Int, since start: UInt64) {
    guard start > 0 else { return }
    sync.recordNanoseconds(Int64(clamping: now() &- start))
    syncBatches.record(Int64(batches.count))
    bytes.increment(by: Int64(sizeBytes))
    if let first = batches.first(where: \.hasCommits), let last = batches.last {
      commits.increment(by: last.state.position &- first.firstPosition &+ 1)
    }
  }

  /// Records that the writes of batches are durable, or were empty.
  func written(_ batches: [Batch]) {
    for batch in batches { count(batch.tally[.written], .written) }
  }

  /// Records that the writes of batches are not durable, and will not be.
  func lost(_ batches: [Batch]) {
    for batch in batches { count(batch.tally[.written], .unavailable) }
  }

  private func count(_ count: Int, _ outcome: RequestTally.WriteOutcome) {
    if count > 0 { writes[outcome.rawValue].increment(by: Int64(count)) }
  }
}
