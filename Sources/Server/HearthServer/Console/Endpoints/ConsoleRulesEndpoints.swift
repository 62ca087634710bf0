import HearthConsole
import HearthDatabase
import HearthRules
import HearthTransport
import HearthTree

/// The console's endpoints for the coverage of the rules in force and for checking a rules file.
struct ConsoleRulesEndpoints: ConsoleEndpoints {
  let context: ConsoleContext

  /// Returns the result counts of each rule since its deploy; null when the server does not count. With `window=hour`
  /// or `day` the counts at the beginning of that period are included.
  func coverage() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try pageParameters()
    let window = parameters["window"].map { CoverageHistory.Window(rawValue: $0) }
    if case .some(.none) = window { throw ConsoleFailure(.badRequest, "window must be hour or day.") }
    let database = try await database(parameters["ns"])
    let (history, now) = (console.coverage, call.now.monotonicMilliseconds)
    return ConsoleResponder.json(
      await BlockingThread.run {
        guard let coverage = database.published.rules.coverage else { return ["rules": .null] }
        let before = (window ?? nil).map { history.members(of: database.name, coverage, $0, monotonic: now) }
        return .object((coverage.json.members ?? []) + (before ?? []))
      })
  }

  /// Returns the problems of the rules file in `source`.
  func checkRules() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    guard let source = call.body?["source"]?.string else {
      throw ConsoleFailure(.badRequest, "source must be a string with a rules file.")
    }
    let answer = try await console.rulesWork { await BlockingThread.run { RulesFileCheck.answer(source) } }
    return ConsoleResponder.json(answer)
  }
}
