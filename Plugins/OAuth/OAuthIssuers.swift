import HearthOutbound
import HearthPlugin

/// A factory of providers for issuers that administrators configure on a running server. Their checks are those of
/// configured providers.
struct OAuthIssuers: IssuerProviders {
  /// The permitted addresses of the issuers' servers.
  let policy: OutboundPolicy
  /// Creates the HTTP client of one provider; nil for a client under the policy.
  var http: (@Sendable () -> any OutboundHTTP)?

  func provider(of issuer: ConfiguredIssuer) -> any SignInProvider {
    let http = http?() ?? OutboundClient(policy: policy, pool: OutboundPool())
    return OAuthProfiles(http: ProviderHTTP(http: http)).oidc(
      OAuthSettings.Issuer(
        id: issuer.id, displayName: issuer.displayName, issuer: issuer.issuer, keysURL: nil,
        client: OAuthSettings.IDTokenClient(
          clientIDs: [issuer.clientID], secret: issuer.clientSecret, nonce: .either,
          emails: EmailAuthority().extended(with: issuer.emailDomains)),
        attributes: []))
  }
}
