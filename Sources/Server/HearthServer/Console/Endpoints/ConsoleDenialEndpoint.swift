import HearthDatabase
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree
import HearthWorkbench

/// The explanation of a denial, `GET api/denials/ID`, by the rules and on the data at the time of the request.
///
/// The response has the `denial` as the stream has it. `explained` is true when more of it is kept; otherwise there is
/// the `reason`. If so there are the `request` as `api/try` takes it, `inForce` for rules that are still in force and
/// otherwise their `source`, the `explanation` for programs, its `text` for display, and a `test`, the text of a file
/// for `hearth rules test`.
struct ConsoleDenialEndpoint: ConsoleEndpoints {
  let context: ConsoleContext
  /// The path before the id.
  static let prefix = "denials/"

  func denial(_ name: String) async throws(ConsoleFailure) -> HTTPResponse {
    _ = try pageParameters()
    let (services, id) = (responder.services, UInt64(name.dropFirst(Self.prefix.count)))
    guard let id, let entry = services.denials.feed?.entry(id) else {
      throw ConsoleFailure(
        .notFound, "This denial is no longer kept. The server keeps the newest \(DenialFeed.countMax).")
    }
    let denial: JSON = ["denial": entry.json]
    guard let record = services.denials.records.record(ofEntry: id), let request = record.request else {
      return ConsoleResponder.json(
        denial.appending(["explained": false, "reason": .string(reason(id))]))
    }
    let current = services.databases.opened(record.database)?.published.rules.source
    let rulesFile = console.rulesFile
    // Rules may have to be compiled again.
    return ConsoleResponder.json(
      await BlockingThread.run {
        let explanation = Explanation(operation: record.operation, path: record.path, decision: request.explained())
        let isInForce = current?.utf8.elementsEqual(request.rulesSource.utf8) == true
        var json = denial.appending([
          "explained": true, "dataOf": "denial", "request": request.json, "inForce": .bool(isInForce),
        ])
        if !isInForce { json["source"] = .string(request.rulesSource) }
        return json.appending(Self.json(explanation, request, rulesFile))
      })
  }

  /// Returns the reason why a denial cannot be explained.
  private func reason(_ id: UInt64) -> String {
    let denials = responder.services.denials
    guard denials.keepsValues else { return "Only the rule is kept, because the server runs with --no-denial-values." }
    guard let record = denials.records.record(ofEntry: id) else {
      return "Only the rule is kept, because there were too many denials at once."
    }
    return record.hasRules
      ? "Only the rule is kept, because the rules read too much data." : "No rule was evaluated."
  }

  /// Returns the members of a response that explain a decision.
  ///
  /// - Parameter rulesFile: the name of the rules file in a test file.
  static func json(_ explanation: Explanation, _ record: RecordedRequest?, _ rulesFile: String) -> JSON {
    let test = record.flatMap { RecordedCase.text($0, explanation, rules: rulesFile) }
    return [
      "explanation": explanation.json,
      "text": .string(explanation.rendered(file: explanation.file, isColored: false)),
      "test": test.map { .string($0) } ?? .null,
    ]
  }
}
