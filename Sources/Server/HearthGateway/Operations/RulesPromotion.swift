import HearthTree

/// `POST /.settings/rules/promote.json`: puts the staged rules in force when their trial is within bounds. For
/// administrators.
///
/// | member of the body | |
/// |---|---|
/// | `maxFlips`, `maxCancelled`, `maxInvalid` | 0 by default; `null` is no bound |
/// | `minJudged` | 1 by default |
/// | `watchSeconds` | the time for which the server counts denials afterwards |
/// | `rollbackDenials`, `rollbackRatio`, `rollbackCancelled` | bounds for a return to the version before |
/// | `expected`, `comment`, `tool`, `dryRun` | as with a deploy |
///
/// The answer has the `figures` of the trial, and `version` and `isNew` unless it was a dry run. A trial that is not
/// within bounds gets 412, and with `exceeded` beside the `error`.
struct RulesPromotion {
  let call: RESTCall

  func answer() throws(RESTFailure) {
    guard call.request.method == .post else { throw .methodNotAllowed }
    let body = try call.members()
    let (bounds, expected, isDryRun) = (try Self.bounds(body), try body.id("expected"), try body.flag("dryRun"))
    var change = try call.rulesChange(body)
    change.cause = .promote
    let (services, principal) = (call.services, call.caller.principal)
    call.withDatabase(.byMode) { [change] database in
      call.answerLater { () async throws(RESTFailure) in
        let promotion = try await services.rules.promote(
          database, within: bounds, as: principal, change, over: expected, isDryRun: isDryRun)
        return Self.response(promotion)
      }
    }
  }

  private static func response(_ promotion: RulesStore.Promotion) -> RESTResponse {
    switch promotion {
    case .done(let deployed, let figures):
      return RESTResponse((["figures": figures.json] as JSON).appending(deployed.json))
    case .possible(let figures): return RESTResponse(["figures": figures.json])
    case .refused(let figures, let excesses):
      let text = excesses.map(\.text).joined(separator: "; ")
      var response = RESTResponse(
        [
          "error": "The staged rules were not promoted: \(text).", "figures": figures.json,
          "exceeded": .array(excesses.map(\.json)),
        ])
      response.status = 412
      return response
    }
  }

  private static func bounds(_ body: JSON) throws(RESTFailure) -> PromotionBounds {
    var bounds = PromotionBounds()
    if body["maxFlips"] != nil { bounds.flipsMax = try body.count("maxFlips") }
    if body["maxCancelled"] != nil { bounds.cancelledMax = try body.count("maxCancelled") }
    if body["maxInvalid"] != nil { bounds.invalidMax = try body.count("maxInvalid") }
    if let least = try body.count("minJudged") { bounds.judgedMin = least }
    var watch = PromotionBounds.Watch(seconds: 0)
    watch.denialsMax = try body.count("rollbackDenials")
    watch.cancelledMax = try body.count("rollbackCancelled")
    if let value = body["rollbackRatio"], value != .null {
      guard let ratio = value.double, ratio >= 1, ratio <= 1e6 else {
        throw RESTFailure(400, "rollbackRatio must be a number from 1 to 1000000")
      }
      watch.denialsRatioMax = ratio
    }
    let isBounded = watch != PromotionBounds.Watch(seconds: 0)
    guard let seconds = try body.count("watchSeconds") else {
      guard !isBounded else {
        throw RESTFailure(400, "rollbackDenials, rollbackRatio and rollbackCancelled need watchSeconds")
      }
      return bounds
    }
    guard (1...PromotionBounds.watchSecondsMax).contains(seconds) else {
      throw RESTFailure(400, "watchSeconds must be a number from 1 to \(PromotionBounds.watchSecondsMax)")
    }
    guard isBounded else {
      throw RESTFailure(400, "watchSeconds needs rollbackDenials, rollbackRatio or rollbackCancelled")
    }
    watch.seconds = seconds
    bounds.watch = watch
    return bounds
  }
}
