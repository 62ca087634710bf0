import Glibc

/// Moments as people write them, always in UTC.
public enum UTCInstant {
  /// `2026-11-23T15:52:13.123Z`.
  public static func text(_ milliseconds: Int64) -> String { format(milliseconds, "%Y-%m-%dT%H:%M:%S") }

  /// `20261123T155213.123Z`, for names of files.
  static func compact(_ milliseconds: Int64) -> String { format(milliseconds, "%Y%m%dT%H%M%S") }

  private static func format(_ milliseconds: Int64, _ pattern: String) -> String {
    let fraction = (milliseconds % 1000 + 1000) % 1000
    var time = time_t((milliseconds - fraction) / 1000)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return String(milliseconds) }
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, pattern, &parts)
    let digits = String(fraction)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) + "."
      + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
  }

  /// From `2026-11-23T15:52:13Z`, also with a fraction of up to three digits. Nil for anything else, such as another zone.
  public static func milliseconds(_ text: String) -> Int64? {
    let pattern = #/(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?Z/#
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    let found = match.output
    let numbers = [found.1, found.2, found.3, found.4, found.5, found.6].compactMap { Int32($0) }
    guard numbers.count == 6 else { return nil }
    var parts = tm()
    parts.tm_year = numbers[0] - 1900
    parts.tm_mon = numbers[1] - 1
    (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[2], numbers[3], numbers[4], numbers[5])
    let seconds = timegm(&parts)
    // A day that is not in the month becomes one of the next.
    guard parts.tm_mon == numbers[1] - 1, parts.tm_mday == numbers[2], parts.tm_hour == numbers[3],
      parts.tm_min == numbers[4], parts.tm_sec == numbers[5]
    else { return nil }
    let digits = found.7.map(String.init) ?? "0"
    let fraction = (Int64(digits) ?? 0) * [100, 10, 1][digits.utf8.count - 1]
    return Int64(seconds) * 1000 + fraction
  }
}
