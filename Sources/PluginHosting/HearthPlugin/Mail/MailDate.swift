/// Dates in mails.
enum MailDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Returns a date of the form `Sat, 21 Nov 2026 23:28:02 +0000`.
  ///
  /// - Parameter seconds: the time in seconds since 1970, limited to the years 1970 to 9999, which have four digits.
  static func text(seconds: Int64) -> String {
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let (day, time) = (Int(seconds / 86_400), Int(seconds % 86_400))
    // Days counted from 1 March of year 0, in cycles of 400 years, so that a leap day comes last.
    let shifted = day + 719_468
    let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = (marchMonth + 2) % 12
    let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    return "\(days[day % 7]), \(twoDigits(dayOfMonth)) \(months[month]) \(year) \(clock) +0000"
  }

  private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
