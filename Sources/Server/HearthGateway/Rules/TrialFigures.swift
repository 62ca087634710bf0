import HearthTree
import HearthTrial

/// The figures of a trial's report that decide whether the staged rules may be promoted.
struct TrialFigures: Sendable, Equatable {
  /// The number of requests that were evaluated with both rule sets.
  var judged: Int64
  /// The number of requests that were allowed, and that the staged rules would deny.
  var closed: Int64
  /// The number of requests that were denied, and that the staged rules would allow.
  var opened: Int64
  /// The number of requests for which the staged rules took too many steps.
  var undecided: Int64
  /// The number of listeners that would be cancelled, or for which that could not be determined.
  var cancelled: Int64
  /// The number of stored paths that would be refused and are accepted now.
  var invalid: Int64
  /// The state of the evaluation of listeners and stored data; nil when there was none.
  var forecast: TrialForecast.State?

  init(_ report: TrialReport) {
    judged = Int64(report.judgedCount)
    (closed, opened) = (Int64(report.closedCount), Int64(report.openedCount))
    undecided = Int64(report.undecidedCount)
    let (listeners, data) = (report.forecast?.listeners, report.forecast?.data)
    cancelled = Int64((listeners?.cancelledCount ?? 0) + (listeners?.undecidedCount ?? 0))
    invalid = Int64(max(0, (data?.failedCount ?? 0) - (data?.alreadyFailingCount ?? 0)))
    forecast = report.forecast?.state
  }

  /// The number of requests that the staged rules would decide differently, or not at all.
  var flips: Int64 { closed + opened + undecided }

  var json: JSON {
    [
      "judged": .int(judged), "flips": .int(flips), "closed": .int(closed), "opened": .int(opened),
      "undecided": .int(undecided), "cancelled": .int(cancelled), "invalid": .int(invalid),
      "forecast": forecast.map { .string($0.rawValue) } ?? .null,
    ]
  }

  /// A bound that is exceeded.
  struct Excess: Sendable, Equatable {
    /// The bound's name in a request.
    let bound: String
    let limit: Int64
    let found: Int64
    /// The excess in words.
    let text: String

    var json: JSON {
      ["bound": .string(bound), "limit": .int(limit), "found": .int(found)]
    }
  }

  /// Returns the exceeded bounds; empty when the staged rules may be promoted.
  func excesses(of bounds: PromotionBounds) -> [Excess] {
    var found: [Excess] = []
    func check(_ name: String, _ count: Int64, _ limit: Int64?, _ noun: String, _ outcome: String) {
      guard let limit, count > limit else { return }
      let text = "\(count) \(noun)\(count == 1 ? "" : "s") \(outcome), at most \(limit) allowed"
      found.append(Excess(bound: name, limit: limit, found: count, text: text))
    }
    if judged < bounds.judgedMin {
      found.append(
        Excess(
          bound: "minJudged", limit: bounds.judgedMin, found: judged,
          text:
            "\(judged) \(judged == 1 ? "decision was" : "decisions were") judged, at least \(bounds.judgedMin) wanted"))
    }
    if bounds.needsForecast, forecast != .complete {
      found.append(
        Excess(
          bound: "forecast", limit: 0, found: 0,
          text: "the check of listeners and stored data is \(forecast?.rawValue ?? "not begun"), not complete"))
    }
    check("maxFlips", flips, bounds.flipsMax, "decision", "would change")
    check("maxCancelled", cancelled, bounds.cancelledMax, "listener", "would be cancelled")
    check("maxInvalid", invalid, bounds.invalidMax, "stored location", "would be refused by .validate")
    return found
  }
}
