import HearthTree

/// The redirect URIs that are registered at the providers.
///
/// Providers of the operator's file, and SAML identity providers, share one URI. Each provider that an administrator configured
/// while the server runs has its own: the address at which an answer arrives then names the provider that was asked, so that one
/// provider cannot pass another's answer off as its own (RFC 9700 §4.4.2).
package enum RedirectURI {
  /// The path of the page that SDKs open, and of the shared address.
  package static let sharedPath = "/__/auth/handler"
  /// The path below which each other provider has its own redirect URI. It is beside the shared path and not below it: a provider
  /// that admits every address below the registered one, as GitHub does, must not admit another provider's.
  private static let ownFolder = "/__/auth/redirect/"

  /// The shared address under an origin.
  package static func shared(origin: String) -> String { origin + sharedPath }

  /// The address of one provider of the project, or of a tenant, under an origin.
  package static func own(of providerID: String, tenantID: String?, origin: String) -> String {
    origin + ownFolder + ownEnding(providerID, tenantID)
  }

  private static func ownEnding(_ providerID: String, _ tenantID: String?) -> String {
    (tenantID.map { PercentEncoding.encode($0) + "/" } ?? "") + PercentEncoding.encode(providerID)
  }

  /// Returns true when an app's address names the provider, so that no other provider's answers can arrive there:
  /// `https://app.example.com/back/oidc.corp`, in a tenant `https://app.example.com/back/TENANT/oidc.corp`.
  static func names(_ address: String, _ providerID: String, tenantID: String?) -> Bool {
    place(of: address)?.hasSuffix("/" + ownEnding(providerID, tenantID)) == true
  }

  /// Returns true when a browser came back to the redirect URI that was sent, ignoring the queries.
  static func isSame(_ shown: String, as sent: String) -> Bool {
    guard let shown = place(of: shown), let sent = place(of: sent) else { return false }
    return shown.utf8.elementsEqual(sent.utf8)
  }

  /// The scheme, host, port and path in the form that browsers use.
  private static func place(of address: String) -> String? {
    let plain = String(address.prefix { $0 != "?" && $0 != "#" })
    guard let url = ContinueURL(plain) else { return nil }
    let rest = plain.dropFirst(url.scheme.count + 3)
    let authority = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(authority.count)
    var port = authority.dropFirst(url.host.count)
    if port == ":" || port == (url.scheme == "https" ? ":443" : ":80") { port = "" }
    return "\(url.scheme)://\(url.host)\(port)\(path.isEmpty ? "/" : path)"
  }
}

/// The kinds of redirect URI that a provider can have.
enum RedirectURIKind: Sendable, Equatable {
  /// The shared address: a provider of the operator's file.
  case shared
  /// The shared address, of a provider that was configured while the server ran and registered by an earlier version.
  /// Each of its answers must name its issuer.
  case sharedWithIssuer
  /// An address of its own.
  case own

  /// The address under an origin.
  func address(of providerID: String, tenantID: String?, origin: String) -> String {
    switch self {
    case .shared, .sharedWithIssuer: RedirectURI.shared(origin: origin)
    case .own: RedirectURI.own(of: providerID, tenantID: tenantID, origin: origin)
    }
  }
}
