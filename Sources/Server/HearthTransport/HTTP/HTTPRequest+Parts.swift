extension HTTPRequest {
  /// The target's path, still percent-encoded.
  package var path: String { String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self) }

  /// The target's bytes behind the first question mark.
  package var query: Substring.UTF8View { target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst() }

  /// The host name or address in the `Host` header, in lower case, without a port. The client chose it: it may select
  /// routes, but must never become part of a link.
  package var hostName: String { Self.hostName(ofAuthority: header("Host") ?? "") }

  /// Returns `name:port` or `[address]:port` without the port and the brackets.
  package static func hostName(ofAuthority authority: String) -> String {
    let host = authority.lowercased()
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    return String(host.prefix { $0 != ":" })
  }
}
