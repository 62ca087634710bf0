import Synchronization

/// A queue of changes of rules, one at a time for each database.
final class RulesChangeQueue: Sendable {
  /// The maximum number of waiting changes of one database.
  static let waitingMax = 100

  /// The changes that wait behind the one under way, by database.
  private let waiting = Mutex<[String: [CheckedContinuation<Bool, Never>]]>([:])

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: the error of `body`, or a refusal when too many wait.
  func run<Result: Sendable>(
    _ database: String, _ body: @Sendable () async throws(RESTFailure) -> Result
  ) async throws(RESTFailure) -> Result {
    guard await begin(database) else {
      throw RESTFailure(503, "Too many rules changes of this database are in progress. Try again later.")
    }
    defer { end(database) }
    return try await body()
  }

  private func begin(_ database: String) async -> Bool {
    await withCheckedContinuation { turn in
      let answer = waiting.withLock { waiting -> Bool? in
        guard let line = waiting[database] else {
          waiting[database] = []
          return true
        }
        guard line.count < Self.waitingMax else { return false }
        waiting[database] = line + [turn]
        return nil
      }
      if let answer { turn.resume(returning: answer) }
    }
  }

  private func end(_ database: String) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Bool, Never>? in
      guard let line = waiting[database], !line.isEmpty else {
        waiting[database] = nil
        return nil
      }
      waiting[database] = Array(line.dropFirst())
      return line[0]
    }
    next?.resume(returning: true)
  }
}
