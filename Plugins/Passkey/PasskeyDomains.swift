/// The rules for domains and origins of passkeys.
enum PasskeyDomains {
  /// Returns the default domain: that of the app's own page, or of the server; `localhost` in place of an IP address,
  /// which is not a domain.
  ///
  /// - Parameter origins: The origins of the pages with sign-ins, the server's own first.
  static func relyingPartyID(of origins: [String]) -> String {
    let hosts = origins.compactMap { host(of: $0) }
    guard let host = hosts.dropFirst().first ?? hosts.first else { return "localhost" }
    return isDomain(host) ? host : "localhost"
  }

  /// Returns true for a name that keys can be bound to: `localhost`, or one with a dot, and not an IP address.
  static func isDomain(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { ("a"..."z").contains(Character(UnicodeScalar($0))) || isDigit($0) || $0 == 0x2D }
    }
    guard isName, text.utf8.count <= 253, let last = labels.last else { return false }
    return text == "localhost" || (labels.count > 1 && !last.utf8.allSatisfy(isDigit))
  }

  /// Returns true when a page of that host may use the keys of a relying party.
  static func covers(_ id: String, _ host: String) -> Bool { host == id || host.hasSuffix("." + id) }

  /// Returns the host of an origin in the form of browsers, or nil for any other text. Plain HTTP is only for this
  /// machine.
  static func host(of origin: String) -> String? {
    let (isSecure, isPlain) = (origin.hasPrefix("https://"), origin.hasPrefix("http://"))
    guard isSecure || isPlain, origin == origin.lowercased() else { return nil }
    let authority = origin.dropFirst(isSecure ? 8 : 7)
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let host = String(parts[0])
    if parts.count == 2 {
      guard (1...5).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy(isDigit) else { return nil }
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ !"/?#@\\[] ".utf8.contains($0) }) else { return nil }
    return isSecure || host == "localhost" ? host : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
