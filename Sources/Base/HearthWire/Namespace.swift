/// The database that a request names.
public enum Namespace {
  /// Returns the name in the `ns` parameter, otherwise the first label of a host with three labels or more, otherwise
  /// `fallback`; in lower case. It need not be ``isValid(_:)``.
  ///
  /// - Parameter host: A `Host` header, with or without a port. An IP address has no labels.
  public static func choose(parameter: String?, host: String?, fallback: String) -> String {
    if let parameter, !parameter.isEmpty { return parameter.lowercased() }
    if let host, let label = firstLabel(of: host) { return label.lowercased() }
    return fallback
  }

  /// The form of a name, for error messages.
  package static let form = "1 to 63 lower-case letters, digits, - and _"

  /// Returns true for a text that can name a database: 1 to 63 of `a-z`, `0-9`, `_`, `-`.
  public static func isValid(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  private static func firstLabel(of host: String) -> String? {
    if host.utf8.first == UInt8(ascii: "[") { return nil }
    let name = host.utf8.prefix { $0 != UInt8(ascii: ":") }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isAddress = labels.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    guard labels.count >= 3, !isAddress, let first = labels.first, !first.isEmpty else { return nil }
    return String(Substring(first))
  }
}
