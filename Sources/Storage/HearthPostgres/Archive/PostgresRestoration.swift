import HearthCrypto
import HearthJournal

/// The restoration of a journal's rows under a temporary name. When all rows are written and verified, they get the
/// journal's name in one step. The next restoration of the same name removes the remains of an interrupted one.
final class PostgresRestoration: JournalRestoration {
  private let engine: PostgresEngine
  /// The final name in the `journal` table.
  private let name: String
  private let identifier: Int64
  private var head = JournalHead(epoch: 0, position: 0, runningHash: .empty)
  private var snapshot: SnapshotInfo?
  private var hasBatches = false
  private var isComplete = false
  /// The statements that are not sent yet.
  private var waiting: [PostgresStatement] = []
  private var waitingBytes = 0

  private static let action = "writing the journal"
  private static let snapshotIdentifier: Int64 = 1

  /// - Throws: `.inUse` when a journal of that name exists; `.permissionDenied`, `.noSpace`, `.inputOutput`.
  init(_ engine: PostgresEngine, _ name: String) throws(JournalError) {
    (self.engine, self.name) = (engine, name)
    let found = try engine.run(
      Self.action, 0, [PostgresStatement(JournalSQL.find, [.text(name)])], isRepeatable: true)
    guard found[0].rows.isEmpty else {
      throw JournalError(
        .inUse, "the journal already exists", at: JournalError.Place(file: "\(engine.address) \(name)"))
    }
    let workName = "restoring/" + name
    try engine.remove(workName, Self.action)
    let made = try engine.run(
      Self.action, 0,
      [
        PostgresStatement(JournalSQL.make, [.text(workName)]), PostgresStatement(JournalSQL.find, [.text(workName)]),
      ], isRepeatable: true)
    guard let identifier = made[1].integer(0, 0), engine.markOpen(identifier) else {
      throw JournalError(.inUse, "another process is restoring the journal \(name)")
    }
    self.identifier = identifier
  }

  deinit { if !isComplete { engine.markClosed(identifier) } }

  func begin(at position: Int64, runningHash: RunningHash) throws(JournalError) {
    guard snapshot == nil, !hasBatches, position >= 0 else {
      throw error(.positionMismatch, "a snapshot must be written first")
    }
    snapshot = SnapshotInfo(
      identifier: Self.snapshotIdentifier, position: position, runningHash: runningHash, chunkCount: 0, sizeBytes: 0)
    (head.position, head.runningHash) = (position, runningHash)
  }

  func append(chunk: [UInt8]) throws(JournalError) {
    guard let open = snapshot, !hasBatches else { throw error(.snapshotAbandoned, "no snapshot was started") }
    guard chunk.count <= JournalLimits.snapshotChunkBytesMax else {
      throw error(.tooLarge, "a chunk of \(chunk.count) bytes is too large")
    }
    let hash = Digest(sha256: chunk).bytes
    try add([
      statement(SnapshotSQL.addChunk, .bytes(hash), .bytes(chunk)),
      statement(
        ArchiveSQL.addLink, .integer(open.identifier), .integer(Int64(open.chunkCount)), .bytes(hash)),
    ])
    snapshot = SnapshotInfo(
      identifier: open.identifier, position: open.position, runningHash: open.runningHash,
      chunkCount: open.chunkCount + 1, sizeBytes: open.sizeBytes + chunk.count)
  }

  func append(_ link: JournalLink) throws(JournalError) {
    try link.batch.validate(after: head)
    guard link.follows(head.position, head.runningHash), link.epoch >= head.epoch else {
      throw error(
        .corrupt, "the batch of position \(link.batch.firstPosition) does not continue the log before it",
        link.batch.firstPosition)
    }
    let pieces = PostgresBatchRow.pieces(of: link.batch.payload)
    let first = PostgresStatement.Parameter.integer(link.batch.firstPosition)
    try add(
      [
        statement(
          ArchiveSQL.addBatch, first, .integer(link.batch.lastPosition), .integer(link.epoch), .hash(link.runningHash),
          .integer(Int64(link.batch.payload.count)), .integer(Int64(pieces.count - 1)), .bytes(pieces[0]))
      ]
        + pieces.enumerated().dropFirst().map { number, piece in
          statement(ArchiveSQL.addPart, first, .integer(Int64(number)), .bytes(piece))
        })
    hasBatches = true
    head = JournalHead(epoch: link.epoch, position: link.batch.lastPosition, runningHash: link.runningHash)
  }

  func append(_ entry: ArchivedEntry) throws(JournalError) {
    let (sql, end, reason): (PostgresSQL, Int64, [PostgresStatement.Parameter]) =
      switch entry.state {
      case .waits(let due): (ArchiveSQL.addEntry, due, [])
      case .dead(let reason, let time): (ArchiveSQL.addDeadEntry, time, [.bytes(Array(reason.utf8))])
      }
    let parameters: [PostgresStatement.Parameter] = [
      .integer(identifier), .bytes(Array(entry.queue.utf8)), .integer(entry.place.position),
      .integer(Int64(entry.place.ordinal)), .bytes(Array(entry.lane.utf8)), .integer(entry.milliseconds),
      .integer(Int64(entry.attemptCount)), .integer(end), .bytes(entry.content),
    ]
    try add([PostgresStatement(sql, parameters + reason)])
  }

  func complete(epoch: Int64) throws(JournalError) -> JournalHead {
    head.epoch = max(epoch, head.epoch)
    if let snapshot {
      try add([
        statement(
          ArchiveSQL.addSnapshot, .integer(snapshot.identifier), .integer(head.epoch), .integer(snapshot.position),
          .hash(snapshot.runningHash), .integer(Int64(snapshot.chunkCount)), .integer(Int64(snapshot.sizeBytes)))
      ])
    }
    if !hasBatches, head.position > 0 {
      // The next batch refers to the last row of the log, so its position is kept.
      try add([
        statement(
          ArchiveSQL.addTail, .integer(head.position), .integer(head.epoch), .hash(head.runningHash))
      ])
    }
    try add([statement(ArchiveSQL.setEpoch, .integer(head.epoch), .integer(snapshot?.identifier ?? 0))])
    try send()
    try verify()
    let found = PostgresStatement(JournalSQL.find, [.text(name)])
    let renamed = try run([statement(JournalSQL.rename, .text(name)), found])
    guard renamed[1].integer(0, 0) == identifier else { throw error(.inUse, "the journal exists by now") }
    isComplete = true
    engine.markClosed(identifier)
    return head
  }

  /// Reads the whole journal, as a server would.
  private func verify() throws(JournalError) {
    let journal = PostgresJournal(engine, identifier: identifier, name: name, isRegistered: false)
    guard let found = try journal.log.end() else {
      guard head.position == 0 else { throw error(.corrupt, "it is empty") }
      return
    }
    var position = snapshot?.position ?? 0
    while position < head.position {
      guard let last = try journal.batches(after: position, sizeBytesMax: JournalLimits.readBytes).last else { break }
      position = last.lastPosition
    }
    if let info = try journal.currentSnapshot() {
      for index in 0..<info.chunkCount { _ = try journal.snapshotChunk(index, of: info) }
    }
    guard found.lastPosition == head.position, found.runningHash == head.runningHash, position == head.position else {
      throw error(.corrupt, "it ends at position \(position) instead of \(head.position)", position)
    }
  }

  // MARK: Statements

  private func add(_ statements: [PostgresStatement]) throws(JournalError) {
    waiting += statements
    waitingBytes += statements.reduce(0) { $0 + $1.sizeBytes }
    guard waitingBytes >= PostgresLimits.transactionBytes || waiting.count >= PostgresLimits.requestsPerTransaction
    else { return }
    try send()
  }

  private func send() throws(JournalError) {
    guard !waiting.isEmpty else { return }
    _ = try run(waiting)
    (waiting, waitingBytes) = ([], 0)
  }

  private func run(_ statements: [PostgresStatement]) throws(JournalError) -> [PostgresAnswer] {
    try engine.run(Self.action, identifier, statements, isRepeatable: true)
  }

  private func statement(
    _ sql: PostgresSQL, _ parameters: PostgresStatement.Parameter...
  ) -> PostgresStatement {
    PostgresStatement(sql, [.integer(identifier)] + parameters)
  }

  private func error(_ code: JournalError.Code, _ message: String, _ position: Int64? = nil) -> JournalError {
    JournalError(code, message, at: JournalError.Place(file: "\(engine.address) \(name)", position: position))
  }
}
