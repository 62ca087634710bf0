import NIOHTTP1

extension HTTPRequestHead {
  /// The head in the form that all later code relies on: header values without the white space around them, and a
  /// target that begins with its path.
  ///
  /// White space around a value is no part of it (RFC 9110, section 5.5). A target in absolute form, as sent to
  /// proxies, counts as its path, and its host replaces the `Host` header (RFC 9112, section 3.2.2), so that checks of
  /// the host see the one that the request names.
  ///
  /// - Returns: nil for an absolute form without a host, or with a user.
  var normalized: HTTPRequestHead? {
    var head = self
    if headers.contains(where: { Self.isPadded($0.value) }) {
      head.headers = HTTPHeaders(headers.map { ($0.name, Self.trimmed($0.value)) })
    }
    guard let rest = Self.withoutScheme(uri) else { return head }
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else { return nil }
    let target = String(Substring(rest[authority.endIndex...]))
    head.uri = target.hasPrefix("/") ? target : "/" + target
    // A request without exactly one `Host` header is refused later.
    let hosts = headers["Host"].count
    if hosts == 1 || (hosts == 0 && version == .http1_0) {
      head.headers.replaceOrAdd(name: "Host", value: String(Substring(authority)))
    }
    return head
  }

  /// Returns the rest of a target behind `http://` or `https://`; nil for a target that begins otherwise.
  private static func withoutScheme(_ target: String) -> Substring.UTF8View? {
    // Nearly every target is a path.
    guard target.utf8.first != UInt8(ascii: "/") else { return nil }
    for scheme in ["http://", "https://"] where target.utf8.count >= scheme.utf8.count {
      let end = target.utf8.index(target.utf8.startIndex, offsetBy: scheme.utf8.count)
      if target.utf8[..<end].elementsEqual(scheme.utf8, by: { ($0 | 0x20) == ($1 | 0x20) }) {
        return target.utf8[end...]
      }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  private static func isPadded(_ value: String) -> Bool {
    value.utf8.first.map(isSpace) == true || value.utf8.last.map(isSpace) == true
  }

  private static func trimmed(_ value: String) -> String {
    let bytes = value.utf8.drop(while: isSpace)
    guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(Substring(bytes[...last]))
  }
}
