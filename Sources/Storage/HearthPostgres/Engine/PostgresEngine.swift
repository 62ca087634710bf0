import HearthJournal
import Synchronization

/// A PostgreSQL server with journals: the connections to it, and the results of its checks.
///
/// Several connections are for appends, and each journal uses one of them. Two more serve all other requests, so that
/// no append waits for a snapshot, a read or a lock. Each connection has a thread of its own; the caller's thread only
/// waits.
public final class PostgresEngine: Sendable {
  /// The address of the server.
  public let address: PostgresAddress
  /// The warnings about the server's configuration, one sentence each; serious problems make ``init(_:options:)``
  /// throw.
  public let warnings: [String]

  let options: PostgresOptions
  private let writers: [PostgresWorker]
  private let generalWorkers: [PostgresWorker]
  /// The numbers of the journals that are open in this process.
  private let open = Mutex<Set<Int64>>([])
  private let isEnding = Atomic(false)

  /// Connects, checks the server's configuration, and creates missing tables.
  ///
  /// - Throws: `.permissionDenied`; `.notAJournal` when the server's configuration would lose acknowledged commits, or
  ///   it is unsuitable for journals; `.unsupportedFormat` when the tables are of a newer version; `.unavailable` when
  ///   it cannot be reached.
  public init(_ address: PostgresAddress, options: PostgresOptions = PostgresOptions()) throws(JournalError) {
    guard options.hasPlainSchema, (1...PostgresLimits.writersMax).contains(options.writers),
      options.requestTimeoutSeconds > 0, options.requestTimeoutSeconds < 86_400
    else {
      throw JournalError(
        .notAJournal,
        "a schema must have 1 to 63 of a-z, 0-9 and _, and there can be 1 to \(PostgresLimits.writersMax) writers")
    }
    (self.address, self.options) = (address, options)
    let settings = PostgresSchema.settings(options)
    // The first connection prepares no statements, because the tables may not exist yet.
    let setUpWorkers = try Self.start(1, address, PostgresWorker.SetUp(statements: settings, prepared: []))
    defer { setUpWorkers[0].close() }
    warnings = try PostgresChecks.run(address) { (statements) throws(JournalError) in
      try Self.run(setUpWorkers[0], statements, address)
    }
    try PostgresSchema.make(address, options) { (statements) throws(JournalError) in
      try Self.run(setUpWorkers[0], statements, address)
    }
    writers = try Self.start(
      options.writers, address, PostgresWorker.SetUp(statements: settings, prepared: BatchSQL.prepared))
    generalWorkers = try Self.start(2, address, PostgresWorker.SetUp(statements: settings, prepared: []))
  }

  static func start(
    _ count: Int, _ address: PostgresAddress, _ setUp: PostgresWorker.SetUp
  ) throws(JournalError) -> [PostgresWorker] {
    var workers: [PostgresWorker] = []
    for _ in 0..<count {
      guard let worker = PostgresWorker(address, setUp) else {
        for worker in workers { worker.close() }
        throw JournalError(.inputOutput, "no thread or file descriptor is left for a connection to \(address)")
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

  /// Closes the connections. Journals that are still open become unusable.
  public func close() {
    for worker in writers + generalWorkers { worker.close() }
  }

  /// True when all connections have ended, after ``close()``.
  var isOver: Bool { (writers + generalWorkers).allSatisfy(\.isOver) }

  // MARK: Requests

  /// The deadline of a request that begins now.
  var deadline: UInt64 {
    let longest = isEnding.load(ordering: .relaxed) ? Double(PostgresLimits.endSeconds) : .infinity
    return PostgresWorker.now &+ UInt64(min(options.requestTimeoutSeconds, longest) * 1e9)
  }

  /// Limits every wait to ``PostgresLimits/endSeconds`` from now on, so that a stopping Hearth server does not wait for
  /// an unreachable PostgreSQL.
  public func shortenTimeouts() { isEnding.store(true, ordering: .relaxed) }

  /// Returns the deadline of the answer to statements that are sent now.
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

  /// Runs statements other than appends, in one transaction, and waits.
  ///
  /// - Parameter isRepeatable: True when they may run twice; they are then retried after an unknown outcome.
  func run(
    _ action: String, _ journal: Int64, _ statements: [PostgresStatement], isRepeatable: Bool
  ) throws(JournalError) -> [PostgresAnswer] {
    let deadline = deadline
    for attempt in 0... {
      let request = PostgresRequest(statements, deadline: deadline)
      generalWorkers[Int(UInt64(bitPattern: journal) % UInt64(generalWorkers.count))].submit(request)
      let error: JournalError
      switch request.wait() {
      case .done(let answers): return answers
      case .refused(let fault):
        guard fault.isTransient else { throw JournalError(fault, action: action, address) }
        error = .unreachable(action, address, fault.description)
      case .unsent(let text): throw .unreachable(action, address, text)
      case .unknown(let text):
        error = .unreachable(action, address, text)
        guard isRepeatable else { throw error }
      }
      guard PostgresWorker.now < deadline else { throw error }
      Self.pause(after: attempt)
    }
    throw .unreachable(action, address, "too many attempts failed")
  }

  /// Pauses between two attempts.
  static func pause(after attempt: Int) { PostgresWorker.pause(milliseconds: 1 << UInt32(min(attempt, 7))) }

  /// Runs statements in one transaction on a worker of its own.
  static func run(
    _ worker: PostgresWorker, _ statements: [PostgresStatement], _ address: PostgresAddress,
    _ action: String = "checking PostgreSQL", seconds: Int = PostgresLimits.requestTimeoutSeconds
  ) throws(JournalError) -> [PostgresAnswer] {
    let limit = PostgresWorker.now &+ UInt64(seconds) &* 1_000_000_000
    let request = PostgresRequest(statements, deadline: limit, failsIfUnreachable: true)
    worker.submit(request)
    switch request.wait() {
    case .done(let answers): return answers
    case .refused(let fault): throw JournalError(fault, action: action, address)
    case .unsent(let text), .unknown(let text): throw .unreachable(action, address, text)
    }
  }

  // MARK: Handles

  /// Registers a journal as open in this process. Returns false when it is open already.
  func markOpen(_ journal: Int64) -> Bool { open.withLock { $0.insert(journal).inserted } }

  func markClosed(_ journal: Int64) { open.withLock { _ = $0.remove(journal) } }
}
