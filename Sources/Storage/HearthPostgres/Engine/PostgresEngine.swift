import HearthJournal
import Synchronization

/// A PostgreSQL in which journals are kept: its connections, and what was found out about it.
///
/// Several connections append, each journal by one of them; two more are for all else, so that no append waits for a
/// snapshot, a reading or a lock. Each has a thread of its own. Nothing here runs on the caller's thread but the wait.
public final class PostgresEngine: Sendable {
  /// The place where it is.
  public let address: PostgresAddress
  /// The warnings about the server's configuration, one sentence each; worse problems are refused.
  public let warnings: [String]

  let options: PostgresOptions
  private let writers: [PostgresWorker]
  private let aides: [PostgresWorker]
  /// The journals that are open here.
  private let open = Mutex<Set<Int64>>([])
  private let isEnding = Atomic(false)

  /// Connects, looks at how the server is set up, and makes the tables when there are none.
  ///
  /// - Throws: `.permissionDenied`; `.notAJournal` when the server is set up so that acknowledged commits would be lost, or
  ///   is none that journals can be kept in; `.unsupportedFormat` when the tables are of a newer version; `.unavailable`
  ///   when it cannot be reached.
  public init(_ address: PostgresAddress, options: PostgresOptions = PostgresOptions()) throws(JournalError) {
    guard options.hasPlainSchema, (1...PostgresLimits.writersMax).contains(options.writers),
      options.patienceSeconds > 0, options.patienceSeconds < 86_400
    else {
      throw JournalError(
        .notAJournal, "a schema has 1 to 63 of a-z, 0-9 and _, and there are 1 to \(PostgresLimits.writersMax) writers")
    }
    (self.address, self.options) = (address, options)
    let settings = PostgresSchema.settings(options)
    // Its connection has nothing prepared: there may be no tables yet.
    let scout = try Self.start(1, address, PostgresWorker.SetUp(statements: settings, prepared: []))
    defer { scout[0].close() }
    warnings = try PostgresChecks.run(address) { (statements) throws(JournalError) in
      try Self.ask(scout[0], statements, address)
    }
    try PostgresSchema.make(address, options) { (statements) throws(JournalError) in
      try Self.ask(scout[0], statements, address)
    }
    writers = try Self.start(
      options.writers, address, PostgresWorker.SetUp(statements: settings, prepared: BatchSQL.prepared))
    aides = try Self.start(2, address, PostgresWorker.SetUp(statements: settings, prepared: []))
  }

  static func start(
    _ count: Int, _ address: PostgresAddress, _ setUp: PostgresWorker.SetUp
  ) throws(JournalError) -> [PostgresWorker] {
    var workers: [PostgresWorker] = []
    for _ in 0..<count {
      guard let worker = PostgresWorker(address, setUp) else {
        for worker in workers { worker.close() }
        throw JournalError(.inputOutput, "there is no thread or descriptor left for a connection to \(address)")
      }
      workers.append(worker)
    }
    return workers
  }

  /// Makes additional workers, each with its own thread and connection; the caller closes them.
  func workers(_ count: Int, prepared: [PostgresSQL]) throws(JournalError) -> [PostgresWorker] {
    try Self.start(
      count, address, PostgresWorker.SetUp(statements: PostgresSchema.settings(options), prepared: prepared))
  }

  deinit { close() }

  /// Ends the connections. Journals that are still open can do nothing more.
  public func close() {
    for worker in writers + aides { worker.close() }
  }

  /// True when all connections have ended, after ``close()``.
  var isOver: Bool { (writers + aides).allSatisfy(\.isOver) }

  // MARK: Requests

  /// The end of the time that something that begins now may take.
  var deadline: UInt64 {
    let longest = isEnding.load(ordering: .relaxed) ? Double(PostgresLimits.endSeconds) : .infinity
    return PostgresWorker.now &+ UInt64(min(options.patienceSeconds, longest) * 1e9)
  }

  /// Limits every wait to ``PostgresLimits/endSeconds`` from now on, so that a stopping Hearth does not wait for a lost
  /// server.
  public func hurry() { isEnding.store(true, ordering: .relaxed) }

  /// The end of the time in which an answer is expected to statements that are sent now.
  func answerDeadline(for statements: [PostgresStatement], deadline: UInt64) -> UInt64 {
    let sizeBytes = statements.reduce(0) { $0 + $1.sizeBytes }
    let seconds = PostgresLimits.answerSeconds + sizeBytes / PostgresLimits.bytesPerSecondMin
    return min(deadline, PostgresWorker.now &+ UInt64(seconds) &* 1_000_000_000)
  }

  /// Runs statements in one transaction on a journal's connection, together with other waiting requests.
  func append(_ journal: Int64, _ statements: [PostgresStatement], deadline: UInt64) -> PostgresRequest {
    let request = PostgresRequest(statements, deadline: deadline)
    writers[Int(UInt64(bitPattern: journal) % UInt64(writers.count))].submit(request)
    return request
  }

  /// Runs statements beside appends, in one transaction, and waits.
  ///
  /// - Parameter isRepeatable: whether they may run twice. They are tried again when it is not known what became of them.
  func run(
    _ action: String, _ journal: Int64, _ statements: [PostgresStatement], isRepeatable: Bool
  ) throws(JournalError) -> [PostgresAnswer] {
    let deadline = deadline
    for attempt in 0... {
      let request = PostgresRequest(statements, deadline: deadline)
      aides[Int(UInt64(bitPattern: journal) % UInt64(aides.count))].submit(request)
      let error: JournalError
      switch request.wait() {
      case .done(let answers): return answers
      case .refused(let fault):
        guard fault.isPassing else { throw JournalError(fault, action: action, address) }
        error = .unreachable(action, address, fault.description)
      case .unsent(let text): throw .unreachable(action, address, text)
      case .unknown(let text):
        error = .unreachable(action, address, text)
        guard isRepeatable else { throw error }
      }
      guard PostgresWorker.now < deadline else { throw error }
      Self.pause(after: attempt)
    }
    throw .unreachable(action, address, "it was tried too often")
  }

  /// Pauses between two attempts.
  static func pause(after attempt: Int) { PostgresWorker.pause(milliseconds: 1 << UInt32(min(attempt, 7))) }

  /// Runs statements in one transaction on a worker of its own.
  static func ask(
    _ worker: PostgresWorker, _ statements: [PostgresStatement], _ address: PostgresAddress,
    _ action: String = "looking at PostgreSQL", seconds: Int = PostgresLimits.patienceSeconds
  ) throws(JournalError) -> [PostgresAnswer] {
    let limit = PostgresWorker.now &+ UInt64(seconds) &* 1_000_000_000
    let request = PostgresRequest(statements, deadline: limit, isImpatient: true)
    worker.submit(request)
    switch request.wait() {
    case .done(let answers): return answers
    case .refused(let fault): throw JournalError(fault, action: action, address)
    case .unsent(let text), .unknown(let text): throw .unreachable(action, address, text)
    }
  }

  // MARK: Handles

  /// Takes note that a journal is open here. False when it is already.
  func enter(_ journal: Int64) -> Bool { open.withLock { $0.insert(journal).inserted } }

  func leave(_ journal: Int64) { open.withLock { _ = $0.remove(journal) } }
}
