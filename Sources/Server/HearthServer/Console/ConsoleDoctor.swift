import HearthSystem
import HearthTree
import Synchronization

/// The checks of `hearth doctor` for the console, run by the program that embeds the server.
///
/// Analysing the access that rules grant to all users takes seconds of a core. So one run is made at a time, its result
/// is cached, and requests get the last one.
final class ConsoleDoctor: Sendable {
  /// The age in seconds from which a result is outdated and a run begins.
  static let ageSecondsMax: Int64 = 600

  private struct State {
    var isRunning = false
    /// The time and the result of the last run; nil before the first.
    var last: (at: Int64, monotonic: Int64, result: Result<JSON, Problem>)?
  }

  private struct Problem: Error {
    let text: String
  }

  private let examine: @Sendable () async throws -> JSON
  private let state = Mutex(State())

  init(_ examine: @escaping @Sendable () async throws -> JSON) { self.examine = examine }

  /// Starts a run, unless one is under way.
  ///
  /// - Parameter isWanted: true also when the last result is not outdated.
  func startIfNeeded(isWanted: Bool) {
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

  /// The result as `{"isRunning", "at", "problem", "worst", "findings": [{"code", "severity", "text", "advice"}]}`.
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
