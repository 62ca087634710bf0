import HearthRules
import HearthTree

/// `GET /.settings/denials/<trace>.json`, for administrators: a denial of the log is decided again, with all that led to
/// it.
///
/// The answer has `trace`, `database`, `now`, the `explanation` for programs and its `text` for people; with `format=color`
/// the text has colours for a terminal.
extension RESTHandler {
  func denial(_ trace: String, _ context: Context) throws(RESTFailure) {
    guard context.caller.principal.isAdministrator else { throw .unauthorized }
    guard context.request.method.isRead else { throw .methodNotAllowed }
    guard let record = services.denials.records.record(of: trace) else {
      throw RESTFailure(
        404, "No denial with this trace id is kept: it is none of the last \(DenialRecords.countMax).")
    }
    guard let request = record.request else {
      throw RESTFailure(
        404, "This denial cannot be explained: what the rules looked at was too much to keep, or no rule was asked.")
    }
    let (isColored, isPretty) = (context.request.isColored, context.request.isPretty)
    // Rules may have to be compiled again.
    services.pool.run(on: hub.loop) {
      let explanation = Explanation(operation: record.operation, path: record.path, decision: request.explained())
      let answer = JSON.object([
        .init("trace", .string(trace)), .init("database", .string(record.database)),
        .init("now", .int(request.nowMilliseconds)), .init("explanation", explanation.json),
        .init("text", .string(explanation.rendered(file: "rules", isColored: isColored))),
      ])
      return RESTResponse(answer, pretty: isPretty)
    } completion: { response in
      context.completion(response ?? RESTResponse(.unavailable))
    }
  }
}
