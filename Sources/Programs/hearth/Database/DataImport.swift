import HearthMigration
import HearthProgram
import HearthTree

/// An import: reads a file, splits it into requests and sends them, a few at a time.
struct DataImport {
  /// The largest number of unanswered requests.
  private static let inFlightMax = 4
  /// The interval in nanoseconds at which the state is saved.
  private static let recordIntervalNanoseconds: Int64 = 500_000_000

  private typealias Pending = (task: Task<Void, any Error>, state: ImportState)

  private let client: DatabaseClient
  private let path: DataPath
  private let input: FileInput
  private let file: String
  private let record: ImportRecord?
  private var cutter: JSONDataSplitter
  private var batch: ImportBatch
  private var progress: Progress
  private var pending: [Pending] = []
  private var mustRemove = false
  /// The state after the last request made from the file.
  private var made: ImportState
  /// The state after the last request that is answered together with all earlier ones.
  private var answered: ImportState
  private var lastRecord = WallClock.monotonicNanoseconds

  /// - Parameter record: The record of the progress; nil for input that cannot be read again.
  init(client: DatabaseClient, path: DataPath, input: FileInput, file: String, record: ImportRecord?) {
    (self.client, self.path, self.input, self.file, self.record) = (client, path, input, file, record)
    cutter = JSONDataSplitter(depth: path.location.path.count)
    batch = ImportBatch(base: path)
    progress = Progress("importing \(file)", unit: "KB", total: input.sizeBytes.map { $0 >> 10 })
    made = ImportState(target: "\(client.namespace ?? "") \(path.location.description)")
    answered = made
  }

  /// True when an earlier import of the file was interrupted.
  var isInterrupted: Bool { get throws { try record?.read() != nil } }

  /// Returns the start of the import: after the requests of an earlier import of the file, or at its beginning.
  ///
  /// - Parameters:
  ///   - resumes: True to continue an earlier import.
  ///   - replaces: True when existing data may be replaced.
  /// - Throws: when there is no import to continue, or existing data that must not be overwritten.
  func start(resumes: Bool, replaces: Bool) async throws -> ImportState {
    if resumes {
      guard let state = try record?.read() else {
        throw AdminFailure("nothing to resume: \(file).import does not exist")
      }
      guard state.target == made.target else {
        throw AdminFailure("the interrupted import of \(file) has another target: \(TextTable.printable(state.target))")
      }
      return state
    }
    if !replaces, try await client.administrator.kind(at: path) != .nothing {
      let advice =
        try record?.read() == nil
        ? "" : "; an import of this file was interrupted: --resume continues it"
      throw AdminFailure("there is data at \(path.text): --force removes it first\(advice)")
    }
    return ImportState(target: made.target)
  }

  /// Sends everything after the state that an earlier import reached.
  ///
  /// - Parameter removingFirst: Removes the data at the path before the first request, and so not for a file whose
  ///   beginning is unreadable.
  mutating func send(after start: ImportState, removingFirst: Bool) async throws {
    mustRemove = removingFirst
    do {
      while let part = try nextPart() {
        // A single part is the whole text: it must be known to be the last before it is written.
        if part.name == nil { _ = try nextPart() }
        for request in batch.add(part) { try await send(request, after: start) }
      }
      for request in batch.flush() { try await send(request, after: start) }
      guard made.requestCount >= start.requestCount else { throw changed }
      try await removeOnce()
      while !pending.isEmpty { try await awaitFirst() }
      record?.remove()
    } catch {
      // Requests sent after the failed one may have been applied too; they are repeated.
      for request in pending { _ = await request.task.result }
      if answered.requestCount > 0 { try? record?.write(answered) }
      throw error
    }
  }

  mutating func end() {
    progress.end(input.readBytes >> 10)
    if client.printsJSON {
      Output.json(
        [
          "path": .string(path.location.description), "bytes": .int(Int64(cutter.offset)),
          "requests": .int(Int64(made.requestCount)),
        ])
    } else {
      Output.line("imported \(file) to \(path.text)")
    }
  }

  private mutating func nextPart() throws -> JSONDataSplitter.Part? {
    do {
      while true {
        if let part = try cutter.next() { return part }
        if cutter.isAtEnd { return nil }
        if let piece = try input.next() { cutter.append(piece) } else { cutter.finish() }
      }
    } catch let error as JSONError {
      let (line, column) = cutter.place(of: error)
      throw AdminFailure("\(file):\(line):\(column): \(error.message)")
    }
  }

  // MARK: Sending

  private var changed: AdminFailure {
    AdminFailure("\(file) has changed since its import was interrupted; --force starts again")
  }

  private mutating func send(_ request: ImportRequest, after start: ImportState) async throws {
    made = made.after(request, offsetBytes: cutter.offset)
    progress.show(input.readBytes >> 10)
    guard made.requestCount > start.requestCount else {
      if made.requestCount == start.requestCount {
        guard made.digest == start.digest else { throw changed }
        answered = made
      }
      return
    }
    try await removeOnce()
    // A priority is ignored before its location has children.
    let room = request.hasPriorities ? 0 : Self.inFlightMax - 1
    while pending.count > room { try await awaitFirst() }
    let client = client
    let task = Task {
      _ = try await client.send(
        request.isWhole ? .PUT : .PATCH, request.path, DatabaseClient.importing, body: request.body)
    }
    pending.append((task, made))
    if request.hasPriorities { try await awaitFirst() }
  }

  private mutating func removeOnce() async throws {
    guard mustRemove else { return }
    try await client.remove(path)
    mustRemove = false
  }

  private mutating func awaitFirst() async throws {
    let first = pending.removeFirst()
    try await first.task.value
    answered = first.state
    let now = WallClock.monotonicNanoseconds
    guard let record, now - lastRecord > Self.recordIntervalNanoseconds else { return }
    lastRecord = now
    try record.write(answered)
  }
}
