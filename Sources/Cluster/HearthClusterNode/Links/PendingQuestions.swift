/// The pending questions of this side of a connection, with the receivers of their answers.
struct PendingQuestions<Waiter> {
  private let countMax: Int
  private var waiters: [UInt64: Waiter] = [:]
  private var lastNumber: UInt64 = 0
  private var isOver = false

  /// - Parameter countMax: The maximum number of pending questions.
  init(countMax: Int) { self.countMax = countMax }

  /// The number of pending questions.
  var count: Int { waiters.count }

  /// Adds a pending question.
  ///
  /// - Returns: The question's number, unique on this connection.
  /// - Throws: The reason that it must not be sent.
  mutating func add(_ waiter: Waiter) throws(QuestionProblem) -> UInt64 {
    guard !isOver else { throw .notConnected }
    guard waiters.count < countMax else { throw .crowded }
    lastNumber += 1
    waiters[lastNumber] = waiter
    return lastNumber
  }

  /// Removes and returns the receiver of an answer; nil when the question is not pending.
  mutating func remove(_ number: UInt64) -> Waiter? { waiters.removeValue(forKey: number) }

  /// Ends the connection's questions: ``add(_:)`` throws from then on.
  ///
  /// - Returns: The receivers, in the order of their questions.
  mutating func end() -> [Waiter] {
    isOver = true
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The peer's questions that are being answered.
struct InboundQuestions {
  /// The size of a question in addition to its content.
  private static let overheadBytes = 128

  private let countMax: Int
  private let bytesMax: Int
  private var count = 0
  private var bytes = 0

  /// - Parameters:
  ///   - countMax: The maximum number of questions.
  ///   - bytesMax: Their maximum total size. A single question is accepted whatever its size.
  init(countMax: Int, bytesMax: Int) { (self.countMax, self.bytesMax) = (countMax, bytesMax) }

  /// Accepts a question.
  ///
  /// - Returns: Its size, for ``end(_:)``; nil when it is refused.
  mutating func begin(_ content: [UInt8]) -> Int? {
    let size = content.count + Self.overheadBytes
    guard count < countMax, count == 0 || bytes + size <= bytesMax else { return nil }
    count += 1
    bytes += size
    return size
  }

  /// Notes that a question was answered.
  mutating func end(_ size: Int) {
    count -= 1
    bytes -= size
  }
}
