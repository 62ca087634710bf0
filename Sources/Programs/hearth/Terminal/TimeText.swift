import Glibc

/// The format of times in output: `2026-11-21T23:44:06Z`.
enum TimeText {
  static func seconds(_ seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil else { return "\(seconds)" }
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func milliseconds(_ milliseconds: Int64) -> String { seconds(milliseconds / 1000) }

  /// Returns the time of a decimal text of milliseconds since 1970, as the Identity Toolkit API sends it; empty when
  /// the text is invalid.
  static func milliseconds(_ text: String?) -> String { text.flatMap { Int64($0) }.map(milliseconds) ?? "" }
}
