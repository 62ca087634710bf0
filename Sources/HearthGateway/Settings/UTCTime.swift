import Glibc

/// Moments in answers and in the log: `2026-11-21T23:44:06.123Z` (RFC 3339).
package enum UTCTime {
  /// The moment that is so many milliseconds after the beginning of 1970, or before it.
  package static func text(milliseconds: Int64) -> String {
    // Counted from the second before, so that times before 1970 have a fraction forward too.
    let fraction = (milliseconds % 1000 + 1000) % 1000
    var time = time_t((milliseconds - fraction) / 1000)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return String(milliseconds) }
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    let digits = String(fraction)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) + "."
      + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
  }
}
