/// Times in events: `2026-11-22T06:30:00.123Z` (RFC 3339), which every handler can parse.
enum EventTime {
  /// Returns the text of a time.
  ///
  /// - Parameter milliseconds: The time since 1970; times before that or after the year 9999 are clamped.
  static func text(milliseconds: Int64) -> String {
    let clamped = min(max(milliseconds, 0), 253_402_300_799_999)
    let (seconds, fraction) = (clamped / 1_000, clamped % 1_000)
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    // Computes the civil date of a day number, in eras of 400 years that begin in March.
    let z = days + 719_468
    let era = z / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    func padded(_ number: Int64, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(second / 3_600, 2) + ":"
      + padded(second % 3_600 / 60, 2) + ":" + padded(second % 60, 2) + "." + padded(fraction, 3) + "Z"
  }
}
