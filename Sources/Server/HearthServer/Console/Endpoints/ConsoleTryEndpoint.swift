import HearthDatabase
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree

/// `POST api/try`: the decision of the rules on a request. No data is written, and no denial is counted.
///
/// The body is `{"database", "request": {…}}` for a request on the current data: one of `read`, `write`, `delete` and
/// `update` names the path, with `query` or `value`, `auth` (null for a signed-out client) and `now`. With
/// `"token": TEXT` in the body the client is the user of that token, and the response has `auth` too. Or the body is
/// `{"denial": ID}` for a denied request on the data at its time, as far as that is kept. The rules are those in force,
/// or with `rules` those of a text, or with `version` those of the history. With `"administrator": true` the caller is
/// an administrator.
///
/// The response has `allowed`, `dataOf` (`now` or `denial`), `isComplete` (false when other rules look at data that was
/// not kept with the denial), `explanation`, `text` and `test`, as a denial has them.
struct ConsoleTryEndpoint: ConsoleEndpoints {
  let context: ConsoleContext
  /// The request and the data that it is evaluated on.
  private enum Subject {
    case now(JSON)
    case denial(DenialRecords.Record, RecordedRequest)
  }

  func tryRules() async throws(ConsoleFailure) -> HTTPResponse {
    _ = try session()
    guard let body = call.body else { throw .badBody }
    var (subject, name) = try subject(of: body)
    let database = try await database(name)
    var auth: JSON?
    if let token = body["token"] {
      guard case .now(let request) = subject, let token = token.string, !token.isEmpty else {
        throw ConsoleFailure(.badRequest, "token must be a user's token, for a request on the current data.")
      }
      let found = try await self.auth(of: token, for: database.name)
      subject = .now(JSON.object((request.members ?? []).filter { $0.name != "auth" }).appending(["auth": found]))
      auth = found
    }
    guard body["administrator"] ?? .bool(false) != .bool(true) else { return try asAdministrator(subject) }
    let state = database.published
    let other = try await source(of: body, in: database)
    let now = call.now.wallMilliseconds
    let rulesFile = console.rulesFile
    let (tried, caller) = (subject, auth.map { ["auth": $0] as JSON } ?? [:])
    let answer = try await console.rulesWork { () throws(ConsoleFailure) in
      try await context.read { () throws(ConsoleFailure) in
        try Self.refusing { () throws(RESTFailure) in
          let rules = try other.map { text throws(RESTFailure) in try RulesEvaluation.rules(text) } ?? state.rules
          switch tried {
          case .now(let request):
            return Self.json(
              try RulesEvaluation(request, on: state.root, by: rules, nowMilliseconds: now), dataOf: "now", rulesFile)
          case .denial(let record, let request):
            return Self.json(try RulesEvaluation(record, request, by: rules), dataOf: "denial", rulesFile)
          }
        }
      }
    }
    return ConsoleResponder.json(answer.appending(caller))
  }

  /// Returns `auth` as rules see it for the user of a token.
  private func auth(of token: String, for database: String) async throws(ConsoleFailure) -> JSON {
    do throws(TokenTrialError) {
      return try await services.authenticator.auth(
        ofUserToken: token, for: database, from: services.origin(of: call.request), now: call.now
      ).get()
    } catch {
      throw ConsoleFailure(.badRequest, error.text)
    }
  }

  /// Returns the request of a body, and its database.
  private func subject(of body: JSON) throws(ConsoleFailure) -> (Subject, String?) {
    switch (body["request"], body["denial"]) {
    case (let request?, nil) where request.members != nil: return (.now(request), body["database"]?.string)
    case (nil, let denial?):
      guard let id = denial.string.flatMap({ UInt64($0) }) else {
        throw ConsoleFailure(.badRequest, "denial must be the id of a denial.")
      }
      guard let record = responder.services.denials.records.record(ofEntry: id), let request = record.request else {
        throw ConsoleFailure(.notFound, "This denial cannot be evaluated again, because its data is not kept.")
      }
      return (.denial(record, request), record.database)
    default: throw ConsoleFailure(.badRequest, "The body needs request, an object, or denial, the id of a denial.")
    }
  }

  /// Returns the text of the rules that decide in place of those in force; nil when those in force decide.
  private func source(of body: JSON, in database: Database) async throws(ConsoleFailure) -> String? {
    switch (body["rules"], body["version"]) {
    case (nil, nil): return nil
    case (let text?, nil):
      guard let text = text.string else {
        throw ConsoleFailure(.badRequest, "rules must be a string with a rules file.")
      }
      return text
    case (nil, let version?):
      guard let id = version.int, id > 0 else {
        throw ConsoleFailure(.badRequest, "version must be the number of a version.")
      }
      let rules = responder.services.rules
      do throws(RESTFailure) {
        return try await rules.source(ofVersion: id, of: database)
      } catch {
        throw ConsoleFailure(error)
      }
    default: throw ConsoleFailure(.badRequest, "The body can have rules or version, not both.")
    }
  }

  /// Returns the response for an administrator, to whom no rules apply.
  private func asAdministrator(_ subject: Subject) throws(ConsoleFailure) -> HTTPResponse {
    if case .now(let request) = subject {
      try Self.refusing { () throws(RESTFailure) in try RulesEvaluation.check(request) }
    }
    let dataOf = if case .now = subject { "now" } else { "denial" }
    return ConsoleResponder.json(
      [
        "allowed": true, "dataOf": .string(dataOf), "isComplete": true, "explanation": .null,
        "text": "Administrators can do everything; no rule is evaluated.\n", "test": .null,
      ])
  }

  private static func json(_ tried: RulesEvaluation, dataOf: String, _ rulesFile: String) -> JSON {
    let verdict: JSON = [
      "allowed": .bool(tried.explanation.decision.isAllowed), "dataOf": .string(dataOf),
      "isComplete": .bool(tried.isComplete),
    ]
    return verdict.appending(ConsoleDenialEndpoint.json(tried.explanation, tried.record, rulesFile))
  }

  private static func refusing<Result>(
    _ work: () throws(RESTFailure) -> Result
  ) throws(ConsoleFailure) -> Result {
    do throws(RESTFailure) { return try work() } catch { throw ConsoleFailure(error) }
  }
}

extension ConsoleFailure {
  /// Creates the failure for the page of a refusal by the server's own API.
  init(_ failure: RESTFailure) { self.init(.init(statusCode: failure.status), failure.text) }
}
