import HearthConsole
import HearthDatabase
import HearthRules
import HearthTransport
import HearthTree

/// The counts of rules in force, and problems of a rules file.
struct ConsoleRulesEndpoints: ConsoleEndpoints {
  let context: ConsoleContext

  /// How often each rule came to what since it was deployed; null where the server does not count. With `window=hour` or
  /// `day` what there was when that began is told as well.
  func coverage() async throws(ConsoleFailure) -> HTTPResponse {
    let parameters = try looked()
    let window = parameters["window"].map { CoverageHistory.Window(rawValue: $0) }
    if case .some(.none) = window { throw ConsoleFailure(.badRequest, "window is hour or day.") }
    let database = try await database(parameters["ns"])
    let (history, now) = (console.coverage, call.now.monotonicMilliseconds)
    return ConsoleResponder.json(
      await BlockingThread.run {
        guard let coverage = database.published.rules.coverage else { return .object([.init("rules", .null)]) }
        let before = (window ?? nil).map { history.members(of: database.name, coverage, $0, monotonic: now) }
        return .object((coverage.json.members ?? []) + (before ?? []))
      })
  }

  func checkRules() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    guard let source = call.body?["source"]?.string else {
      throw ConsoleFailure(.badRequest, "source must be the text of a rules file.")
    }
    return ConsoleResponder.json(await BlockingThread.run { RulesCheck.answer(source) })
  }
}
