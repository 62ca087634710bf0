/// The URL that the page of a mailed link redirects to. URLs of unknown sites are refused: they would turn this server's links into
/// a redirect to an attacker's site.
package struct ContinueURL: Sendable {
  /// The URL scheme, in lower case.
  package let scheme: String
  /// The host in lower case, an IPv6 address with its brackets.
  package let host: String

  /// Parses an absolute URL as strictly as the most lenient browser could read it: no user information, no backslashes,
  /// no spaces or control characters, a host in plain ASCII.
  package init?(_ text: String) {
    guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      return nil
    }
    let bytes = Array(text.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
      return nil
    }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    guard let first = scheme.utf8.first, first.isASCIILetterOrDigit, first > UInt8(ascii: "9"),
      scheme.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) })
    else { return nil }
    let authority = bytes[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
    guard let host = Self.host(of: authority) else { return nil }
    self.scheme = scheme
    self.host = host
  }

  private static func host(of authority: ArraySlice<UInt8>) -> String? {
    var host = authority
    var port: ArraySlice<UInt8> = []
    if host.first == UInt8(ascii: "[") {
      guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let rest = host[(end + 1)...]
      host = host[...end]
      guard host.dropFirst().dropLast().allSatisfy({ $0.isASCIILetterOrDigit || ":.".utf8.contains($0) }) else {
        return nil
      }
      guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
      port = rest.dropFirst()
    } else {
      if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
        port = host[(colon + 1)...]
        host = host[..<colon]
      }
      guard host.allSatisfy({ $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }) else { return nil }
    }
    let isPort = port.count <= 5 && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !host.isEmpty, isPort else { return nil }
    return String(decoding: host, as: UTF8.self).lowercased()
  }
}
