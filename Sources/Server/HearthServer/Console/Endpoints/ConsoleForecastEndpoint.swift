import HearthDatabase
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree
import HearthTrial

/// `POST api/rules/forecast` of `{"database", "source"}`: the effects of a deploy of that text. No listener is
/// cancelled, and no state is changed.
///
/// The response is that of a staged rule set's forecast, `{"state", "listeners": {…}, "data": {…}}`, with `"refusals":
/// {"examined", "opened", "places": [{"operation", "path", "uid", "count"}]}` beside it: those of the newest denials
/// that the text would allow.
struct ConsoleForecastEndpoint: ConsoleEndpoints {
  let context: ConsoleContext
  /// The time limit of a forecast, in seconds; after it the results so far are returned.
  private static let secondsMax: Int64 = 10
  /// The maximum number of denials that a forecast decides again: the newest ones.
  private static let refusalsMax = 200
  /// The maximum number of listed requests that would be allowed.
  private static let placesMax = 20

  func forecast() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    guard let body = call.body, let source = body["source"]?.string else {
      throw ConsoleFailure(.badRequest, "source must be a string with a rules file.")
    }
    let database = try await database(body["database"]?.string)
    return try await console.rulesWork { () throws(ConsoleFailure) in try await forecast(source, in: database) }
  }

  private func forecast(_ source: String, in database: Database) async throws(ConsoleFailure) -> HTTPResponse {
    let (denials, name) = (services.denials, database.name)
    let compiled = await BlockingThread.run { () -> Result<(RuleSet, JSON), ConsoleFailure> in
      Result { () throws(ConsoleFailure) in
        do throws(RESTFailure) {
          let rules = try RulesEvaluation.rules(source)
          return (rules, Self.refusals(of: name, in: denials, by: rules))
        } catch {
          throw ConsoleFailure(error)
        }
      }
    }
    let (rules, refusals) = try compiled.get()
    var limits = TrialLimits()
    limits.forecastSecondsMax = Self.secondsMax
    let forecast = await RulesTrial.forecast(of: rules, in: database, limits: limits)
    return ConsoleResponder.json(forecast.json.appending(["refusals": refusals]))
  }

  private static func refusals(of database: String, in denials: DenialLog, by rules: RuleSet) -> JSON {
    var (examined, opened, places) = (0, 0, [JSON]())
    if let feed = denials.feed {
      var cursor = feed.cursor(after: nil, newest: refusalsMax)
      for entry in feed.read(&cursor, limit: refusalsMax).entries.reversed() where entry.database == database {
        guard let record = denials.records.record(ofEntry: entry.id), let request = record.request,
          let tried = try? RulesEvaluation(record, request, by: rules), tried.isComplete
        else { continue }
        examined += entry.count
        guard tried.explanation.decision.isAllowed else { continue }
        opened += entry.count
        guard places.count < placesMax else { continue }
        places.append(
          [
            "operation": .string(entry.operation), "path": .string(entry.path),
            "uid": entry.uid.map { .string($0) } ?? .null, "count": .int(Int64(entry.count)),
          ])
      }
    }
    return ["examined": .int(Int64(examined)), "opened": .int(Int64(opened)), "places": .array(places)]
  }
}
