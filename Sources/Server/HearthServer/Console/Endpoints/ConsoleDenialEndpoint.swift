import HearthDatabase
import HearthGateway
import HearthRules
import HearthTransport
import HearthTree
import HearthWorkbench

/// `GET api/denials/ID`: why a request was refused, by the rules and on the data of that moment.
///
/// The answer has the `denial` as the stream tells it. `explained` says whether more of it is kept; if not, there is the
/// `reason`. If so there are the `request` as `api/try` takes it, whether its rules are `inForce` and else their `source`,
/// the `explanation` for programs, its `text` for people, and a `test`, the text of a file for `hearth rules test`.
struct ConsoleDenialEndpoint: ConsoleEndpoints {
  let context: ConsoleContext

  /// What comes before the id.
  static let prefix = "denials/"

  func denial(_ name: String) async throws(ConsoleFailure) -> HTTPResponse {
    _ = try looked()
    let (services, id) = (responder.services, UInt64(name.dropFirst(Self.prefix.count)))
    guard let id, let entry = services.denials.feed?.entry(id) else {
      throw ConsoleFailure(.notFound, "No such refusal is kept: the newest \(DenialFeed.countMax) are.")
    }
    let members: [JSON.Member] = [.init("denial", entry.json)]
    guard let record = services.denials.records.record(ofEntry: id), let request = record.request else {
      return ConsoleResponder.json(
        .object(members + [.init("explained", .bool(false)), .init("reason", .string(reason(id)))]))
    }
    let current = services.databases.opened(record.database)?.published.rules.source
    // Rules may have to be compiled again.
    return ConsoleResponder.json(
      await BlockingThread.run {
        let explanation = Explanation(operation: record.operation, path: record.path, decision: request.explained())
        let isInForce = current?.utf8.elementsEqual(request.rulesSource.utf8) == true
        var members = members
        members += [
          .init("explained", .bool(true)), .init("dataOf", .string("denial")), .init("request", request.json),
          .init("inForce", .bool(isInForce)),
        ]
        if !isInForce { members.append(.init("source", .string(request.rulesSource))) }
        return .object(members + Self.members(of: explanation, request))
      })
  }

  /// Returns the reason why a refusal cannot be explained.
  private func reason(_ id: UInt64) -> String {
    let denials = responder.services.denials
    guard denials.keepsValues else { return "The server runs with --no-denial-values: only the rule is kept." }
    guard let record = denials.records.record(ofEntry: id) else {
      return "There were too many refusals to keep more of this one than its rule."
    }
    return record.hasRules
      ? "What the rules looked at was too much to keep: only the rule is." : "No rule was asked."
  }

  /// What is told of a decision.
  static func members(of explanation: Explanation, _ record: RecordedRequest?) -> [JSON.Member] {
    let test = record.flatMap { RecordedCase.text($0, explanation) }
    return [
      .init("explanation", explanation.json),
      .init("text", .string(explanation.rendered(file: explanation.file, isColored: false))),
      .init("test", test.map { .string($0) } ?? .null),
    ]
  }
}
