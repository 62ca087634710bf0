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
  var json: JSON {
    switch self {
    case .waiting: ["state": "waiting"]
    case .running: ["state": "running"]
    case .done(let outcome): (["state": "done"] as JSON).appending(outcome.json)
    case .failed(let why): ["state": "failed", "error": .string(why)]
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

  fileprivate var json: JSON {
    [
      "account": .bool(hadAccount), "batches": .int(Int64(batchCount)), "snapshots": .int(Int64(snapshotCount)),
      "records": .int(Int64(recordCount)),
    ]
  }
}
