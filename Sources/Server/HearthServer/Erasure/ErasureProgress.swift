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
  var members: [JSON.Member] {
    switch self {
    case .waiting: [.init("state", .string("waiting"))]
    case .running: [.init("state", .string("running"))]
    case .done(let outcome): [.init("state", .string("done"))] + outcome.members
    case .failed(let why): [.init("state", .string("failed")), .init("error", .string(why))]
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

  fileprivate var members: [JSON.Member] {
    [
      .init("account", .bool(hadAccount)), .init("batches", .int(Int64(batchCount))),
      .init("snapshots", .int(Int64(snapshotCount))), .init("records", .int(Int64(recordCount))),
    ]
  }
}
