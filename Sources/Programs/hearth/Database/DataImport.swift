import HearthProgram
import HearthTree

/// Reads a file, cuts it into requests and sends them, a few at a time.
struct DataImport {
  /// Requests that may be unanswered.
  private static let inFlightMax = 4
  /// How often the state goes to the disk.
  private static let recordIntervalNanoseconds: Int64 = 500_000_000

  private typealias Pending = (task: Task<Void, any Error>, state: ImportState)

  private let client: DatabaseClient
  private let path: DataPath
  private let input: FileInput
  private let file: String
  private let record: ImportRecord?
  private var cutter: JSONDataCutter
  private var batch: ImportBatch
  private var progress: Progress
  private var pending: [Pending] = []
  private var mustRemove = false
  /// After the last request that was made from the file.
  private var made: ImportState
  /// After the last of the first requests that are all answered.
  private var answered: ImportState
  private var lastRecord = WallClock.monotonicNanoseconds

  /// - Parameter record: where the progress is noted; nil for what cannot be read again.
  init(client: DatabaseClient, path: DataPath, input: FileInput, file: String, record: ImportRecord?) {
    (self.client, self.path, self.input, self.file, self.record) = (client, path, input, file, record)
    cutter = JSONDataCutter(depth: path.location.path.count)
    batch = ImportBatch(base: path)
    progress = Progress("importing \(file)", unit: "KB", total: input.sizeBytes.map { $0 >> 10 })
    made = ImportState(target: "\(client.namespace ?? "") \(path.location.description)")
    answered = made
  }

  /// An earlier import of the file ended before its end.
  var isInterrupted: Bool { get throws { try record?.read() != nil } }

  /// Returns the place where to begin: behind what an earlier import of the file has sent, or at its beginning.
  ///
  /// - Parameters:
  ///   - resumes: an earlier import goes on.
  ///   - replaces: there may be data at the path.
  /// - Throws: where there is nothing to go on with, and where data is that must not be overwritten unasked.
  func start(resumes: Bool, replaces: Bool) async throws -> ImportState {
    if resumes {
      guard let state = try record?.read() else {
        throw AdminFailure("no import of \(file) was interrupted; there is no \(file).import")
      }
      guard state.target == made.target else {
        throw AdminFailure("the interrupted import of \(file) was to \(TextTable.printable(state.target)), not here")
      }
      return state
    }
    if !replaces, try await client.administrator.kind(at: path) != .nothing {
      let advice =
        try record?.read() == nil
        ? "" : "; an import of this file was interrupted, and --resume goes on with it"
      throw AdminFailure("there is data at \(path.text): --force removes it first\(advice)")
    }
    return ImportState(target: made.target)
  }

  /// Sends everything that comes after a state that an earlier import reached.
  ///
  /// - Parameter removingFirst: what is at the path goes before the first request, and so not for a file whose
  ///   beginning cannot be read.
  mutating func send(after start: ImportState, removingFirst: Bool) async throws {
    mustRemove = removingFirst
    do {
      while let part = try nextPart() {
        // One part is the whole text: that nothing else follows it must be known before it is written.
        if part.name == nil { _ = try nextPart() }
        for request in batch.add(part) { try await send(request, after: start) }
      }
      for request in batch.flush() { try await send(request, after: start) }
      guard made.requestCount >= start.requestCount else { throw changed }
      try await removeOnce()
      while !pending.isEmpty { try await awaitFirst() }
      record?.remove()
    } catch {
      // What was sent after the failed request may be there, too; it is written once more.
      for request in pending { _ = await request.task.result }
      if answered.requestCount > 0 { try? record?.write(answered) }
      throw error
    }
  }

  mutating func end() {
    progress.end(cutter.offset >> 10)
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

  private mutating func nextPart() throws -> JSONDataCutter.Part? {
    do throws(JSONError) {
      while true {
        if let part = try cutter.next() { return part }
        if cutter.isAtEnd { return nil }
        try readMore()
      }
    } catch {
      let (line, column) = cutter.place(of: error)
      throw AdminFailure("\(file):\(line):\(column): \(error.message)")
    }
  }

  private mutating func readMore() throws(JSONError) {
    switch Result(catching: { try input.next() }) {
    case .success(let piece?): cutter.append(piece)
    case .success(nil): cutter.finish()
    case .failure(let error): throw JSONError(.unexpectedEnd, "\(error)", at: cutter.offset)
    }
  }

  // MARK: Sending

  private var changed: AdminFailure {
    AdminFailure("\(file) is not what it was when its import was interrupted; --force starts over")
  }

  private mutating func send(_ request: ImportRequest, after start: ImportState) async throws {
    made = made.after(request, offsetBytes: cutter.offset)
    progress.show(cutter.offset >> 10)
    guard made.requestCount > start.requestCount else {
      if made.requestCount == start.requestCount {
        guard made.digest == start.digest else { throw changed }
        answered = made
      }
      return
    }
    try await removeOnce()
    // A priority finds no place before the place's children are there.
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
