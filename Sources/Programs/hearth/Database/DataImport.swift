import HearthMigration
import HearthProgram
import HearthTree

/// An import: reads a file, splits it into requests, sends them, a few at a time, and compares the file with the stored
/// data at the end.
struct DataImport {
  /// The largest number of unanswered requests.
  private static let inFlightMax = 4
  /// The interval in nanoseconds at which the state is saved.
  private static let recordIntervalNanoseconds: Int64 = 500_000_000

  /// A request of the file: its task returns the checksum of its data once it is answered.
  private typealias Pending = (task: Task<DataChecksum?, any Error>, state: ImportState)

  private let client: DatabaseClient
  private let path: DataPath
  private let input: FileInput
  private let file: String
  /// The record of the progress; nil for input that cannot be read again, or beside which no file can be written.
  private var record: ImportRecord?
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
  /// The checksum of the file's data up to the last request of ``answered``; nil when it cannot be compared.
  private var checksum: DataChecksum? = DataChecksum()
  /// The result of the comparison at the end.
  private(set) var verification = ImportVerification.impossible

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

  /// Returns the start of the import: after the answered requests of an interrupted import of the file to the same path,
  /// or the beginning of the file.
  ///
  /// - Parameters:
  ///   - resumes: True when there must be an import to continue.
  ///   - replaces: True to remove existing data and begin anew.
  /// - Throws: when there is no import to continue, or existing data that must not be overwritten.
  func start(resumes: Bool, replaces: Bool) async throws -> ImportState {
    if replaces { return ImportState(target: made.target) }
    let state = try record?.read()
    if resumes {
      guard let state else { throw AdminFailure("nothing to resume: \(file).import does not exist") }
      guard state.target == made.target else {
        throw AdminFailure("the interrupted import of \(file) has another target: \(TextTable.printable(state.target))")
      }
    }
    // After the data was removed, the import begins anew.
    guard try await client.administrator.kind(at: path) != .nothing else { return ImportState(target: made.target) }
    guard let state, state.target == made.target else {
      throw AdminFailure("there is data at \(path.text): --force removes it first")
    }
    Output.note("continuing the interrupted import of \(file)")
    return state
  }

  /// Sends everything after the state that an earlier import reached, and compares the file with the stored data.
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
      while !pending.isEmpty { try await awaitFirst(after: start) }
      verification = try await client.administrator.verification(of: checksum, at: path)
      record?.remove()
    } catch {
      // Requests sent after the failed one may have been applied too; they are repeated.
      for request in pending { _ = await request.task.result }
      if answered.requestCount > 0 { save(answered) }
      throw error
    }
  }

  /// Prints the result.
  ///
  /// - Throws: when the stored data differs from the file.
  mutating func end() throws {
    progress.end(input.readBytes >> 10)
    if client.printsJSON {
      Output.json(
        ([
          "path": .string(path.location.description), "bytes": .int(Int64(cutter.offset)),
          "requests": .int(Int64(made.requestCount)),
        ] as JSON).appending(verification.json))
    } else {
      Output.line("imported \(file) to \(path.text)\(verification.isEqual == true ? ", verified" : "")")
    }
    guard let difference = verification.difference else { return }
    let text = "the data at \(path.text) \(difference)"
    if verification.isEqual == nil { Output.note(text) } else { throw AdminFailure(text) }
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
    let isAnswered = made.requestCount <= start.requestCount
    if made.requestCount == start.requestCount, made.digest != start.digest { throw changed }
    if !isAnswered {
      try await removeOnce()
      // From here on the data at the path is known to be the file's, also after an interruption.
      if made.requestCount == 1, !request.isWhole { save(ImportState(target: made.target)) }
    }
    // A priority is ignored before its location has children.
    let room = request.hasPriorities && !isAnswered ? 0 : Self.inFlightMax - 1
    while pending.count > room { try await awaitFirst(after: start) }
    let client = client
    let task = Task {
      async let checksum = request.checksum()
      if !isAnswered {
        _ = try await client.send(
          request.isWhole ? .PUT : .PATCH, request.path, DatabaseClient.importing, body: request.body)
      }
      return await checksum
    }
    pending.append((task, made))
    if request.hasPriorities { try await awaitFirst(after: start) }
  }

  private mutating func removeOnce() async throws {
    guard mustRemove else { return }
    record?.remove()
    try await client.remove(path)
    mustRemove = false
  }

  /// Records the progress. Without a place for the record, the import goes on and cannot be continued.
  private mutating func save(_ state: ImportState) {
    guard let record else { return }
    do {
      try record.write(state)
    } catch {
      Output.note("\(error); after an interruption, the import of \(file) begins anew")
      self.record = nil
    }
  }

  private mutating func awaitFirst(after start: ImportState) async throws {
    let first = pending.removeFirst()
    let sum = try await first.task.value
    if let sum { checksum?.add(sum) } else { checksum = nil }
    guard first.state.requestCount >= start.requestCount else { return }
    answered = first.state
    let now = WallClock.monotonicNanoseconds
    guard now - lastRecord > Self.recordIntervalNanoseconds else { return }
    lastRecord = now
    save(answered)
  }
}
