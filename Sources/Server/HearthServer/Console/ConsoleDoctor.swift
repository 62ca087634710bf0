import HearthSystem
import HearthTree
import Synchronization

/// What `hearth doctor` finds, for the console: the same checks, run by the program that the server is in.
///
/// Proving what rules let everybody do takes seconds of a core. So one look is on its way at a time, its result is kept,
/// and whoever asks is told the last one.
final class ConsoleDoctor: Sendable {
  /// A result that is older is no answer: a look begins.
  static let ageSecondsMax: Int64 = 600

  private struct State {
    var isRunning = false
    /// When the last look ended, and what it came to.
    var last: (at: Int64, monotonic: Int64, result: Result<JSON, Problem>)?
  }

  private struct Problem: Error {
    let text: String
  }

  private let examine: @Sendable () async throws -> JSON
  private let state = Mutex(State())

  init(_ examine: @escaping @Sendable () async throws -> JSON) { self.examine = examine }

  /// Begins a look, unless one is on its way.
  ///
  /// - Parameter isWanted: also when the last one is not old.
  func look(isWanted: Bool) {
    let now = Clock.monotonicMilliseconds
    let begins = state.withLock { state in
      let isOld = state.last.map { now - $0.monotonic > Self.ageSecondsMax * 1_000 } ?? true
      guard !state.isRunning, isWanted || isOld else { return false }
      state.isRunning = true
      return true
    }
    guard begins else { return }
    Task.detached(priority: .utility) { [self] in
      let result: Result<JSON, Problem>
      do { result = .success(try await examine()) } catch { result = .failure(Problem(text: "\(error)")) }
      state.withLock { state in
        state.isRunning = false
        state.last = (Clock.wallMilliseconds, Clock.monotonicMilliseconds, result)
      }
    }
  }

  /// `{"isRunning", "at", "problem", "worst", "findings": [{"code", "severity", "text", "advice"}]}`
  var json: JSON {
    let (isRunning, last) = state.withLock { ($0.isRunning, $0.last) }
    let state: JSON = ["isRunning": .bool(isRunning), "at": last.map { .int($0.at) } ?? .null]
    switch last?.result {
    case .success(let report): return state.appending(["problem": .null]).appending(report)
    case .failure(let problem): return state.appending(["problem": .string(problem.text), "findings": []])
    case nil: return state.appending(["problem": .null, "findings": []])
    }
  }
}
