import HearthTree

/// The format of times on the command line, always in UTC.
public enum UTCInstant {
  /// The length of the longest form, `2026-11-23T15:52:13.123Z`.
  private static let sizeBytesMax = 24

  /// Reads a text such as `2026-11-23T15:52:13Z`, with an optional fraction of up to three digits; nil for another form
  /// or zone.
  public static func milliseconds(_ text: String) -> Int64? {
    guard text.utf8.count <= sizeBytesMax, text.contains("T"), text.hasSuffix("Z") else { return nil }
    return Timestamp.milliseconds(text)
  }
}
