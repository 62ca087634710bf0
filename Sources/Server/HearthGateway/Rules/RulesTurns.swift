import Synchronization

/// A queue of changes of rules, one at a time for each database.
final class RulesTurns: Sendable {
  /// The maximum number of waiting changes of one database.
  static let waitingMax = 100

  /// The changes that wait behind the one under way, by database.
  private let lines = Mutex<[String: [CheckedContinuation<Bool, Never>]]>([:])

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: the error of `body`, or a refusal when too many wait.
  func run<Result: Sendable>(
    _ database: String, _ body: @Sendable () async throws(RESTFailure) -> Result
  ) async throws(RESTFailure) -> Result {
    guard await begin(database) else {
      throw RESTFailure(503, "Too many changes of this database's rules are under way.")
    }
    defer { end(database) }
    return try await body()
  }

  private func begin(_ database: String) async -> Bool {
    await withCheckedContinuation { turn in
      let answer = lines.withLock { lines -> Bool? in
        guard let line = lines[database] else {
          lines[database] = []
          return true
        }
        guard line.count < Self.waitingMax else { return false }
        lines[database] = line + [turn]
        return nil
      }
      if let answer { turn.resume(returning: answer) }
    }
  }

  private func end(_ database: String) {
    let next = lines.withLock { lines -> CheckedContinuation<Bool, Never>? in
      guard let line = lines[database], !line.isEmpty else {
        lines[database] = nil
        return nil
      }
      lines[database] = Array(line.dropFirst())
      return line[0]
    }
    next?.resume(returning: true)
  }
}
