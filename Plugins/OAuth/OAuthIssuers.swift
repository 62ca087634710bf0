import HearthOutbound
import HearthPlugin

/// Providers of issuers that administrators set up while the server runs. They are checked as those of the settings are.
struct OAuthIssuers: IssuerProviders {
  /// The place where their servers may be.
  let policy: OutboundPolicy
  /// Makes what asks the servers of one provider; nil for one that follows the policy.
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
