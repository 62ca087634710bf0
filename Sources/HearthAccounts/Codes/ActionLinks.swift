import HearthCrypto
import HearthTree

/// The links of mails, and the addresses that they may lead on to.
package struct ActionLinks: Sendable {
  private let configuration: LiveConfiguration

  init(_ configuration: LiveConfiguration) { self.configuration = configuration }

  /// The link under which a code is used. Its origin is the configured one, whatever the request said.
  func link(
    _ purpose: Ticket.Purpose, _ code: NewCode, continueURL: String? = nil, apiKey: String? = nil, locale: String? = nil
  ) -> String {
    let tenant = configuration.tenant?.id
    let configuration = configuration.value
    let path = configuration.isEmulator ? "/emulator/action" : "/__/auth/action"
    let key = apiKey ?? configuration.apiKeys?.min() ?? "any"
    var query = [("mode", purpose.linkMode ?? ""), ("oobCode", code.text), ("apiKey", key)]
    query.append(("lang", locale.flatMap { Self.isLanguageTag($0) ? $0 : nil } ?? "en"))
    if let continueURL { query.append(("continueUrl", continueURL)) }
    if let tenant { query.append(("tenantId", tenant)) }
    return configuration.publicOrigin + path + "?"
      + query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
  }

  private static func isLanguageTag(_ text: String) -> Bool {
    (1...35).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Whether a page of ours may send people on to this address.
  package func isAllowedContinueURL(_ text: String) -> Bool { (try? checkContinueURL(text)) != nil }

  /// - Throws: `invalidContinueURI` for what is no URL of an allowed scheme, `unauthorizedDomain` for another host.
  package func checkContinueURL(_ text: String) throws(AccountError) {
    let configuration = configuration.value
    guard let url = ContinueURL(text) else { throw AccountError(.invalidContinueURI) }
    // A suite's pages have whatever address; there is nobody to lead astray.
    if configuration.isEmulator || configuration.continueSchemes.contains(url.scheme) { return }
    guard url.scheme == "https" || url.scheme == "http" else { throw AccountError(.invalidContinueURI) }
    let own = ContinueURL(configuration.publicURL)?.host
    let hosts = configuration.authorizedDomains.map { $0.lowercased() } + (own.map { [$0] } ?? [])
    guard hosts.contains(url.host) else { throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project") }
  }

  /// Checks the domain that a client wants in the links of mails: there is one, that of
  /// ``AccountsConfiguration/publicURL``.
  ///
  /// - Throws: `invalidLinkDomain` for any other. An emulator takes every name, as the official one does: what its links
  ///   lead to is this machine.
  package func checkLinkDomain(_ domain: String) throws(AccountError) {
    let configuration = configuration.value
    let own = ContinueURL(configuration.publicURL)?.host ?? ""
    guard configuration.isEmulator || domain.lowercased().isSameText(as: own) else {
      throw AccountError(.invalidLinkDomain, "linkDomain must be \(own), where the links of this server lead.")
    }
  }
}

/// An action link that was made, and the code in it.
package struct ActionLink: Sendable, Redacted {
  /// The whole URL.
  package let link: String
  /// Its `oobCode`.
  package let code: String
}
