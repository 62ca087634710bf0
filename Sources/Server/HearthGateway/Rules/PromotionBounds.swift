/// The bounds within which staged rules may be promoted, and those that the server watches afterwards. Nil is no bound.
struct PromotionBounds: Sendable, Equatable {
  /// The maximum number of decisions that the staged rules would have made differently, either way, or that could not
  /// be compared.
  var flipsMax: Int64? = 0
  /// The maximum number of listeners that the promotion would cancel, or for which that could not be determined.
  var cancelledMax: Int64? = 0
  /// The maximum number of stored paths that the staged `.validate` rules would refuse, and those in force accept.
  var invalidMax: Int64? = 0
  /// The minimum number of compared decisions.
  var judgedMin: Int64 = 1
  var watch: Watch?

  /// The seconds that a promotion waits for the evaluation of listeners and stored data. It may be requested again
  /// while that continues.
  static let forecastSecondsMax: Int64 = 30
  /// The maximum seconds of a watch: a day.
  static let watchSecondsMax: Int64 = 86_400
  /// The number of denials that a ratio always allows: a few are no sign when there were hardly any before.
  static let ratioDenialsMin: Int64 = 10

  /// The bounds that allow every promotion.
  static let none = PromotionBounds(flipsMax: nil, cancelledMax: nil, invalidMax: nil, judgedMin: 0)

  /// True when listeners or stored data are bounded.
  var needsForecast: Bool { cancelledMax != nil || invalidMax != nil }

  /// The watch after a promotion, and the bounds after which the server rolls back.
  struct Watch: Sendable, Equatable {
    var seconds: Int64
    /// The maximum number of denied requests; nil for no such bound.
    var denialsMax: Int64?
    /// The maximum ratio to the denials in an equal time before; nil for no such bound.
    var denialsRatioMax: Double?
    /// The maximum number of cancelled listeners, including those of the promotion itself; nil for no such bound.
    var cancelledMax: Int64?

    /// Returns the bounds of a roll-back.
    ///
    /// - Parameters:
    /// - denials: the number of earlier denials.
    /// - milliseconds: the period in which they occurred.
    func bounds(
      from nowMilliseconds: Int64, backTo formerID: Int64, denialsBefore denials: Int, in milliseconds: Int64
    ) -> RollbackBounds {
      var bounds = RollbackBounds(
        endMilliseconds: nowMilliseconds + seconds * 1_000, formerID: formerID, denialsMax: denialsMax,
        cancelledMax: cancelledMax)
      if let denialsRatioMax {
        let usual = Double(denials) * Double(seconds) * 1_000 / Double(max(milliseconds, 1_000))
        let allowed = max(Int64(min(denialsRatioMax * usual, 1e15)), PromotionBounds.ratioDenialsMin)
        bounds.denialsMax = min(bounds.denialsMax ?? .max, allowed)
      }
      return bounds
    }
  }
}
