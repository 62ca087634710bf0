/// What staged rules may do at most to be promoted, and what the server watches afterwards. Nil is no bound.
struct PromotionBounds: Sendable, Equatable {
  /// Decisions that the staged rules would have made otherwise, either way, or that could not be compared.
  var flipsMax: Int64? = 0
  /// Listeners that the promotion would cancel, or for which that could not be said.
  var cancelledMax: Int64? = 0
  /// Places of the stored data that the staged `.validate` rules would not take, and those in force do.
  var invalidMax: Int64? = 0
  /// Decisions that must have been judged.
  var judgedMin: Int64 = 1
  var watch: Watch?

  /// The time that a promotion waits for the look at listeners and stored data. It may be asked for again while that
  /// goes on.
  static let forecastSecondsMax: Int64 = 30
  /// A watch of a day.
  static let watchSecondsMax: Int64 = 86_400
  /// A ratio allows so many denials in any case: a few are no sign where there were hardly any before.
  static let ratioDenialsMin: Int64 = 10

  /// No bound at all.
  static let none = PromotionBounds(flipsMax: nil, cancelledMax: nil, invalidMax: nil, judgedMin: 0)

  /// True when listeners or stored data are bounded.
  var needsForecast: Bool { cancelledMax != nil || invalidMax != nil }

  /// For how long the server looks at what is denied, and what makes it go back.
  struct Watch: Sendable, Equatable {
    var seconds: Int64
    /// Requests that are denied.
    var denialsMax: Int64?
    /// How many times as many as in the same time before.
    var denialsRatioMax: Double?
    /// Listeners that are cancelled, those of the promotion itself among them.
    var cancelledMax: Int64?

    /// - Parameters:
    ///   - denials: how many there were before.
    ///   - milliseconds: in how long.
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
