import HearthDatabase
import HearthTree

/// The progress of an order to erase an account's data.
enum ErasureProgress: Sendable, Equatable {
  case waiting
  case running
  case done(ErasureOutcome)
  /// The attempt failed; the order is tried again at the next start.
  case failed(String)

  /// True when the order makes no more progress in this run.
  var isEnded: Bool {
    switch self {
    case .waiting, .running: false
    case .done, .failed: true
    }
  }

  /// The progress as JSON for administrators.
  var members: [JSON.Member] {
    switch self {
    case .waiting: [.init("state", .string("waiting"))]
    case .running: [.init("state", .string("running"))]
    case .done(let outcome): [.init("state", .string("done"))] + outcome.members
    case .failed(let why): [.init("state", .string("failed")), .init("error", .string(why))]
    }
  }
}

/// The amounts of erased data; in a dry run, of data that would be erased.
struct ErasureOutcome: Sendable, Equatable {
  /// True when there was an account. After an interruption it may be gone already.
  var hadAccount = false
  /// The number of rewritten batches of logs.
  var batchCount = 0
  /// The number of rewritten snapshots.
  var snapshotCount = 0
  /// The number of rewritten records of the audit trail.
  var recordCount = 0

  /// Adds the erasure of a database.
  mutating func add(_ report: ErasureReport) {
    batchCount += report.batchCount
    snapshotCount += report.snapshotCount
  }

  fileprivate var members: [JSON.Member] {
    [
      .init("account", .bool(hadAccount)), .init("batches", .int(Int64(batchCount))),
      .init("snapshots", .int(Int64(snapshotCount))), .init("records", .int(Int64(recordCount))),
    ]
  }
}
