import HearthRules
import HearthTree

/// `GET /.settings/denials/<trace>.json`, for administrators: a denial of the log is evaluated again, with its trace.
///
/// The answer has `trace`, `database`, `now`, the `request` as `decide.json` takes it, `inForce` for rules that are
/// still in force, the `explanation` for programs and its `text` for display; with `format=color` the text has colours
/// for a terminal.
struct DenialExplanation {
  let call: RESTCall
  /// The trace id of the log's line.
  let trace: String

  func answer() throws(RESTFailure) {
    let (services, hub, trace) = (call.services, call.hub, trace)
    guard call.request.method.isRead else { throw .methodNotAllowed }
    guard services.denials.keepsValues else {
      throw RESTFailure(
        404, "Denials are not kept, because the server runs with --no-denial-values. See the log.")
    }
    guard let record = services.denials.records.record(of: trace) else {
      throw RESTFailure(
        404, "No denial with this trace id is kept. The server keeps the last \(DenialRecords.countMax).")
    }
    guard let request = record.request else {
      throw RESTFailure(
        404, "This denial cannot be explained: the rules read too much data to keep, or no rule was evaluated.")
    }
    let (isColored, isPretty) = (call.request.isColored, call.request.isPretty)
    let current = services.databases.opened(record.database)?.published.rules.source
    // Rules may have to be compiled again.
    services.pool.run(on: hub.loop) {
      let explanation = Explanation(operation: record.operation, path: record.path, decision: request.explained())
      let answer: JSON = [
        "trace": .string(trace), "database": .string(record.database), "now": .int(request.nowMilliseconds),
        "request": request.json, "inForce": .bool(current == request.rulesSource), "explanation": explanation.json,
        "text": .string(explanation.rendered(file: explanation.file, isColored: isColored)),
      ]
      return RESTResponse(answer, pretty: isPretty)
    } completion: { response in
      call.completion(response ?? RESTResponse(.unavailable))
    }
  }
}
