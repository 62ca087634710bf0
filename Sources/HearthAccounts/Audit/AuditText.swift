/// How the audit trail writes what others have chosen.
enum AuditText {
  /// A text that cannot begin a line, end a field, or speak to a terminal: what is not to be seen is written as
  /// `\u{…}`, and what is too long is cut.
  static func clean(_ text: String, sizeBytesMax: Int) -> String {
    var clean = String.UnicodeScalarView()
    var sizeBytes = 0
    for scalar in text.unicodeScalars {
      let shown = isVisible(scalar) ? [scalar] : Array("\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      sizeBytes += shown.reduce(0) { $0 + UTF8.width($1) }
      guard sizeBytes <= sizeBytesMax else {
        clean.append("…")
        break
      }
      clean.append(contentsOf: shown)
    }
    return String(clean)
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// `a***@example.com` for `alice@example.com`.
  static func masked(_ email: String) -> String {
    guard let at = email.lastIndex(of: "@") else { return "***" }
    let local = email[..<at]
    let shown = local.unicodeScalars.count > 1 ? local.unicodeScalars.first.map(String.init) ?? "" : ""
    return shown + "***" + email[at...]
  }

  /// `2026-11-21T23:44:05.123Z`. Times before the year 1 and after 9999 are the nearest one in between.
  static func time(milliseconds: Int64) -> String {
    let bounded = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    // Division rounds towards 0; days begin at midnight also before 1970.
    let rest = (bounded % 86_400_000 + 86_400_000) % 86_400_000
    let day = (bounded - rest) / 86_400_000
    let (year, month, date) = civil(day: day)
    let (seconds, millisecond) = (rest / 1000, rest % 1000)
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(date, 2) + "T" + pad(seconds / 3600, 2) + ":"
      + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2) + "." + pad(millisecond, 3) + "Z"
  }

  /// The Gregorian date of a day counted from 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms").
  private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func pad(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
