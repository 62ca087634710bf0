import HearthTree

/// Moments on the command line, always in UTC.
public enum UTCInstant {
  /// `2026-11-23T15:52:13.123Z`, the longest that is read.
  private static let sizeBytesMax = 24

  /// From `2026-11-23T15:52:13Z`, also with a fraction of up to three digits. Nil for anything else, such as another zone.
  public static func milliseconds(_ text: String) -> Int64? {
    guard text.utf8.count <= sizeBytesMax, text.contains("T"), text.hasSuffix("Z") else { return nil }
    return Timestamp.milliseconds(text)
  }
}
