import HearthDatabase
import HearthTree

/// How far an order to erase somebody is.
enum ErasureProgress: Sendable, Equatable {
  case waiting
  case running
  case done(ErasureOutcome)
  /// It is tried again at the next start.
  case failed(String)

  /// Nothing more comes of it in this run.
  var isEnded: Bool {
    switch self {
    case .waiting, .running: false
    case .done, .failed: true
    }
  }

  /// What an administrator reads.
  var json: JSON {
    switch self {
    case .waiting: ["state": "waiting"]
    case .running: ["state": "running"]
    case .done(let outcome): (["state": "done"] as JSON).appending(outcome.json)
    case .failed(let why): ["state": "failed", "error": .string(why)]
    }
  }
}

/// What was erased, or would be.
struct ErasureOutcome: Sendable, Equatable {
  /// There was an account. After an interruption it may be gone already.
  var hadAccount = false
  /// Batches of logs that were written anew.
  var batchCount = 0
  /// Snapshots that were.
  var snapshotCount = 0
  /// Records of the audit trail that were.
  var recordCount = 0

  /// Adds what was erased of a database.
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
