import Glibc

/// The transactions in flight on one connection. Confined to the thread of its worker.
final class PostgresSession {
  /// Requests that share a transaction.
  private struct Transaction {
    var requests: [PostgresRequest]
    var answers: [[PostgresAnswer]]
    var fault: PostgresFault?
    /// True when the server sent a warning with the commit, which may therefore not be replicated.
    var mayBeUnreplicated = false
  }

  private enum Item {
    case statement(PostgresStatement, request: Int)
    case preparing(PostgresSQL)
    case sync
  }

  private let link: PostgresLink
  /// The items that are not handed to libpq yet.
  private var outgoing: [Item] = []
  private var outgoingStart = 0
  private var unsentBytes = 0
  private var isBlocked = false
  /// The items with outstanding answers, in order; the first one is at `expectedStart`.
  private var expected: [Item] = []
  private var expectedStart = 0
  private var hasResult = false
  /// The transactions in flight, the oldest first.
  private var transactions: [Transaction] = []
  private var retriedAlone: [PostgresRequest] = []

  /// Connects, and runs the set-up statements.
  ///
  /// - Parameter setUp: The first statement must query the ID of the server's process.
  init(
    _ address: PostgresAddress, _ setUp: PostgresWorker.SetUp, deadline: UInt64
  ) throws(PostgresLink.Problem) {
    link = try PostgresLink(address)
    let request = PostgresRequest(setUp.statements, deadline: deadline)
    begin([request], preparing: setUp.prepared)
    while !isIdle {
      guard push(), !isLate(PostgresWorker.now) else { break }
      _ = wait(waking: -1, milliseconds: pollTimeout(PostgresWorker.now))
      guard receive() else { break }
    }
    let isSetUp = isIdle
    lose()
    switch request.wait() {
    case .done(let answers) where isSetUp:
      // A wrong process ID shows that there is a connection pooler. It shares the server's connection between clients
      // after each transaction, including settings and prepared statements, so it cannot be used.
      guard answers.first?.integer(0, 0) == Int64(link.processIdentifier) else {
        throw PostgresLink.Problem(
          message: "the address is that of a connection pooler: connect Hearth directly to PostgreSQL", state: "08P01")
      }
    case .refused(let fault): throw PostgresLink.Problem(message: fault.message, state: fault.state)
    case .unsent(let text), .unknown(let text): throw PostgresLink.Problem(message: text)
    case .done: throw PostgresLink.Problem(message: link.errorMessage)
    }
  }

  /// True when the connection has to be replaced, because the server is read-only or does not know the prepared
  /// statements.
  private(set) var needsReplacement = false

  /// True when no transaction is in flight.
  var isIdle: Bool { transactions.isEmpty }

  /// True when another transaction may begin.
  var hasRoom: Bool { transactions.count < PostgresLimits.transactionsInFlight && outgoing.isEmpty }

  /// Returns true when the oldest transaction is overdue, so that the connection is unusable.
  func isLate(_ now: UInt64) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Returns the time to wait for the server in milliseconds; negative for no limit.
  func pollTimeout(_ now: UInt64) -> Int32 {
    guard let deadline else { return -1 }
    return deadline <= now ? 0 : Int32(clamping: (deadline - now) / 1_000_000 + 1)
  }

  /// The deadline of the oldest transaction, the latest deadline of its requests, so that one request's early deadline
  /// does not end the others.
  private var deadline: UInt64? { transactions.first?.requests.lazy.map(\.deadline).max() }

  // MARK: Sending

  /// Begins a transaction with these requests.
  func begin(_ requests: [PostgresRequest], preparing prepared: [PostgresSQL] = []) {
    transactions.append(Transaction(requests: requests, answers: requests.map { _ in [] }))
    for (number, request) in requests.enumerated() {
      outgoing.append(contentsOf: request.statements.map { .statement($0, request: number) })
    }
    outgoing.append(contentsOf: prepared.map { .preparing($0) })
    outgoing.append(.sync)
  }

  /// Hands items over and sends as much as the socket accepts. False when the connection is lost.
  func push() -> Bool {
    if isBlocked {
      guard flush() else { return false }
    }
    while !isBlocked, outgoingStart < outgoing.count {
      let item = outgoing[outgoingStart]
      outgoingStart += 1
      expected.append(item)
      switch item {
      case .preparing(let sql): guard link.sendPreparing(sql) else { return false }
      case .statement(let statement, _):
        guard link.send(statement) else { return false }
        unsentBytes += statement.sizeBytes
        if unsentBytes >= PostgresLimits.unsentBytes { guard flush() else { return false } }
      case .sync: guard link.sendSync(), flush() else { return false }
      }
    }
    if outgoingStart == outgoing.count {
      outgoing.removeAll(keepingCapacity: true)
      outgoingStart = 0
    }
    return true
  }

  private func flush() -> Bool {
    guard let isMore = link.flush() else { return false }
    isBlocked = isMore
    if !isMore { unsentBytes = 0 }
    return true
  }

  // MARK: Receiving

  /// Waits for the socket, or for a wake-up.
  ///
  /// - Returns: True when it was woken.
  func wait(waking descriptor: Int32, milliseconds: Int32) -> Bool {
    var watched = [
      pollfd(fd: link.descriptor, events: Int16(POLLIN | (isBlocked ? POLLOUT : 0)), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&watched, 2, milliseconds) > 0 else { return false }
    return watched[1].revents != 0
  }

  /// Receives available data. False when the connection is lost.
  func receive() -> Bool {
    guard link.receive() else {
      // Handles events that arrived before the failure first.
      takeEvents()
      return false
    }
    return takeEvents()
  }

  @discardableResult
  private func takeEvents() -> Bool {
    // Between two statements, libpq returns null once or twice.
    var emptyCount = 0
    while expectedStart < expected.count, emptyCount < 3, let event = link.next() {
      if link.takeWarning() { markUnreplicated() }
      switch (expected[expectedStart], event) {
      case (.statement(_, let request), .answer(let answer)):
        transactions[0].answers[request].append(answer)
        hasResult = true
      case (_, .fault(let fault)):
        transactions[0].fault = transactions[0].fault ?? fault
        if ["25006", "26000"].contains(fault.state) { needsReplacement = true }
        hasResult = true
      case (_, .answer), (_, .skipped): hasResult = true
      case (.sync, .sync):
        expectedStart += 1
        hasResult = false
        finish(transactions.removeFirst())
      case (.statement, .end) where hasResult, (.preparing, .end) where hasResult:
        expectedStart += 1
        hasResult = false
      case (_, .end):
        emptyCount += 1
        continue
      case (_, .sync): return false
      }
      emptyCount = 0
      if expected.count == expectedStart || expectedStart >= 1_024 {
        expected.removeFirst(expectedStart)
        expectedStart = 0
      }
    }
    if link.takeWarning() { markUnreplicated() }
    return true
  }

  private func markUnreplicated() {
    for i in transactions.indices { transactions[i].mayBeUnreplicated = true }
  }

  private func finish(_ transaction: Transaction) {
    if let fault = transaction.fault {
      guard transaction.requests.count > 1 else { return transaction.requests[0].finish(.refused(fault)) }
      retriedAlone.append(contentsOf: transaction.requests)
      return
    }
    for (request, answers) in zip(transaction.requests, transaction.answers) {
      guard !transaction.mayBeUnreplicated else {
        request.finish(.unknown("the server warned that the commit may not be replicated"))
        continue
      }
      guard answers.count == request.statements.count else {
        request.finish(.unknown("the server answered \(answers.count) of \(request.statements.count) statements"))
        continue
      }
      request.finish(.done(answers))
    }
  }

  /// Removes and returns the requests that were undone because another request in their transaction failed.
  func takeRetriedAlone() -> [PostgresRequest] {
    defer { retriedAlone = [] }
    return retriedAlone
  }

  /// Ends the pending requests with an unknown outcome, because the connection is lost.
  func lose() {
    guard !transactions.isEmpty else { return }
    let text = link.errorMessage
    for request in transactions.flatMap(\.requests) {
      request.finish(.unknown(transactions[0].fault.map { $0.description } ?? text))
    }
    transactions = []
  }
}
