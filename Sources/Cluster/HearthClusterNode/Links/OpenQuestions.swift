/// The questions that this side of a connection asked, and who waits for their answers.
struct OpenQuestions<Waiter> {
  private let countMax: Int
  private var waiters: [UInt64: Waiter] = [:]
  private var lastNumber: UInt64 = 0
  private var isOver = false

  /// - Parameter countMax: More wait at no time.
  init(countMax: Int) { self.countMax = countMax }

  /// How many wait.
  var count: Int { waiters.count }

  /// Somebody waits from now on.
  ///
  /// - Returns: The question's number, which no other of this connection has.
  /// - Throws: Why it must not be sent.
  mutating func add(_ waiter: Waiter) throws(QuestionProblem) -> UInt64 {
    guard !isOver else { throw .notConnected }
    guard waiters.count < countMax else { throw .crowded }
    lastNumber += 1
    waiters[lastNumber] = waiter
    return lastNumber
  }

  /// Who waits for the answer to this question, and does so no longer; nil when nobody does, or never did.
  mutating func remove(_ number: UInt64) -> Waiter? { waiters.removeValue(forKey: number) }

  /// The connection is over: none is added any more.
  ///
  /// - Returns: Those who wait, in the order of their questions.
  mutating func end() -> [Waiter] {
    isOver = true
    defer { waiters = [:] }
    return waiters.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The other side's questions that are being answered.
struct QuestionLoad {
  /// What one holds beside its content.
  private static let overheadBytes = 128

  private let countMax: Int
  private let bytesMax: Int
  private var count = 0
  private var bytes = 0

  /// - Parameters:
  ///   - countMax: More are not taken.
  ///   - bytesMax: What they hold together. One is taken whatever its size.
  init(countMax: Int, bytesMax: Int) { (self.countMax, self.bytesMax) = (countMax, bytesMax) }

  /// A question came.
  ///
  /// - Returns: The bytes that it holds, for ``end(_:)``; nil when it is not taken.
  mutating func begin(_ content: [UInt8]) -> Int? {
    let size = content.count + Self.overheadBytes
    guard count < countMax, count == 0 || bytes + size <= bytesMax else { return nil }
    count += 1
    bytes += size
    return size
  }

  /// It was answered.
  mutating func end(_ size: Int) {
    count -= 1
    bytes -= size
  }
}
