import HearthCrypto
import HearthTree

/// The links of mails, and the addresses that they may continue to.
package struct ActionLinks: Sendable {
  let context: AccountsContext

  /// The link that redeems a code.
  ///
  /// - Parameters:
  ///   - origin: a result of ``origin(linkDomain:)``; nil for the configured one. No other value of a request is used.
  ///   - opensApp: true wraps the link in a link to the path that apps register with the phone's system; an emulator ignores it.
  func link(
    _ purpose: Ticket.Purpose, _ code: NewCode, origin: String? = nil, opensApp: Bool = false,
    continueURL: String? = nil, apiKey: String? = nil, locale: String? = nil
  ) -> String {
    let tenant = context.settings.tenant?.id
    let configuration = context.configuration
    let path = configuration.isEmulator ? "/emulator/action" : Self.path
    let key = apiKey ?? configuration.apiKeys?.min() ?? "any"
    var query = [("mode", purpose.linkMode ?? ""), ("oobCode", code.text), ("apiKey", key)]
    query.append(("lang", locale.flatMap { Self.isLanguageTag($0) ? $0 : nil } ?? "en"))
    if let continueURL { query.append(("continueUrl", continueURL)) }
    if let tenant { query.append(("tenantId", tenant)) }
    let start = origin ?? configuration.publicOrigin
    let link = start + path + "?" + query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    guard opensApp, !configuration.isEmulator else { return link }
    return "\(start)\(Self.appPath)?link=\(PercentEncoding.encode(link))"
  }

  private static let path = "/__/auth/action"
  /// The path that apps register with the phone's system: a link to it opens the app, where it is installed.
  private static let appPath = "/__/auth/links"

  /// Returns true when the text, in a link for an app, is a link to this server.
  package func isOwnLink(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && context.configuration.pageOrigins.contains { text.hasPrefix("\($0)\(Self.path)?") }
  }

  private static func isLanguageTag(_ text: String) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Returns true when a page of this server may redirect to the address.
  package func isAllowedContinueURL(_ text: String) -> Bool { (try? checkContinueURL(text)) != nil }

  /// - Throws: `invalidContinueURI` unless it is a URL of an allowed scheme, `unauthorizedDomain` for another host.
  package func checkContinueURL(_ text: String) throws(AccountError) {
    let configuration = context.configuration
    guard let url = ContinueURL(text) else { throw AccountError(.invalidContinueURI) }
    // A test suite's pages may have any address, and an emulator has no users to protect.
    if configuration.isEmulator || configuration.continueSchemes.contains(url.scheme) { return }
    guard url.scheme == "https" || url.scheme == "http" else { throw AccountError(.invalidContinueURI) }
    let own = ContinueURL(configuration.publicURL)?.host
    let hosts = configuration.authorizedDomains.map { $0.lowercased() } + (own.map { [$0] } ?? [])
    guard hosts.contains(url.host) else { throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project") }
  }

  /// Returns the origin of a mail's links for the domain that a client requests: that of
  /// ``AccountsConfiguration/publicURL``, or one of ``AccountsConfiguration/pageDomains``.
  ///
  /// - Throws: `invalidLinkDomain` for any other. An emulator accepts every name, as the official one does: its links
  ///   lead to this machine.
  package func origin(linkDomain: String) throws(AccountError) -> String {
    let configuration = context.configuration
    let own = ContinueURL(configuration.publicURL)?.host ?? ""
    let domain = linkDomain.lowercased()
    guard !configuration.isEmulator, !domain.isSameText(as: own) else { return configuration.publicOrigin }
    guard let page = configuration.pageDomains.first(where: { domain.isSameText(as: $0) }) else {
      throw AccountError(
        .invalidLinkDomain,
        "linkDomain must be \(own), the host of this server's links, or one of pageDomains in the file of --auth-config."
      )
    }
    return "https://" + page
  }
}

/// An action link with its code.
package struct ActionLink: Sendable, Redacted {
  /// The whole URL.
  package let link: String
  /// The link's `oobCode`.
  package let code: String
}
