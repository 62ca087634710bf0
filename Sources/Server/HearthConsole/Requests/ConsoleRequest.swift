import HearthBytes

/// The parts of a request that reveal its origin.
package struct ConsoleRequest: Sendable {
  /// The purpose of a request.
  package enum Purpose: Sendable {
    /// The page and its assets, which hold no data: other sites may link to them.
    case asset
    /// A sign-in, by a key or a token in the body, in JSON: foreign pages cannot send that without a preflight.
    case signIn
    /// A file that the browser saves, by a key that is valid once: the page can send no header with that.
    case download
    /// A request that needs a session.
    case session
  }

  /// The purpose of the request.
  package var purpose: Purpose
  /// The `Host` headers.
  package var hosts: [String]
  /// The `Origin` headers.
  package var origins: [String]
  /// The `Sec-Fetch-Site` headers.
  package var fetchSites: [String]
  /// The `X-Hearth-Console` headers.
  package var tokens: [String]
  /// True when the content type of the body is JSON.
  package var isJSON: Bool
  /// True when the browser's own connection has TLS.
  package var isEncrypted: Bool

  /// Creates a request with these headers.
  package init(
    _ purpose: Purpose, hosts: [String], origins: [String] = [], fetchSites: [String] = [], tokens: [String] = [],
    isJSON: Bool = false, isEncrypted: Bool = false
  ) {
    (self.purpose, self.hosts, self.origins) = (purpose, hosts, origins)
    (self.fetchSites, self.tokens, self.isJSON, self.isEncrypted) = (fetchSites, tokens, isJSON, isEncrypted)
  }

  /// Returns the authority of the request, as `name:port`, if it passes all checks.
  ///
  /// - Throws: the reason for a refusal.
  package func checked(_ known: KnownHosts) throws(ConsoleRefusal) -> String {
    guard hosts.count == 1, let authority = hosts.first?.lowercased(), let name = Self.name(of: authority),
      known.contains(name)
    else { throw .unknownHost }
    guard purpose != .asset else { return authority }
    guard isEncrypted || IPAddress.isLoopback(host: name) else { throw .inClear }
    // Browsers omit a scheme's default port, in both headers.
    let own = (isEncrypted ? "https://" : "http://") + authority
    guard origins.count <= 1, origins.allSatisfy({ $0.lowercased().utf8.elementsEqual(own.utf8) }),
      fetchSites.allSatisfy({ $0 == "same-origin" })
    else { throw .crossSite }
    switch purpose {
    case .asset, .download: break
    case .signIn: guard isJSON else { throw .crossSite }
    case .session: guard tokens.count == 1, tokens.first?.isEmpty == false else { throw .noHeader }
    }
    return authority
  }

  /// Returns the name of `name`, `name:port`, `[address]` and `[address]:port`; nil for any other text.
  private static func name(of authority: String) -> String? {
    guard authority.utf8.count <= 512, authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    var name = Substring(authority)
    var rest = Substring()
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      name = authority[..<end].dropFirst()
      rest = authority[authority.index(after: end)...]
    } else if let colon = authority.firstIndex(of: ":") {
      name = authority[..<colon]
      rest = authority[colon...]
    }
    let hasPort = rest.first == ":" && UInt16(rest.dropFirst()) != nil && rest.dropFirst().allSatisfy(\.isNumber)
    return !name.isEmpty && (rest.isEmpty || hasPort) ? String(name) : nil
  }
}
