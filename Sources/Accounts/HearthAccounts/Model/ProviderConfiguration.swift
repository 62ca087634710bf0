/// A provider that was configured while the server ran: an OpenID Connect issuer, or a company's SAML identity
/// provider. The names are those of Identity Platform's `OAuthIdpConfig` and `InboundSamlConfig`.
package struct ProviderConfiguration: Sendable, Equatable {
  /// The prefix of OpenID Connect issuers' ids.
  package static let oidcPrefix = "oidc."
  /// The prefix of SAML providers' ids.
  package static let samlPrefix = "saml."
  /// The maximum number of providers of a project, or of one of its tenants.
  static let countMax = 100
  /// The maximum length of an id, without its prefix, in bytes.
  static let nameBytesMax = 64
  /// The maximum length of the display name, in characters.
  package static let displayNameLengthMax = 128
  /// The maximum length of an issuer, an address or an entity id, in bytes.
  package static let addressBytesMax = 2_048
  /// The maximum number of domains for which a provider is trusted.
  package static let emailDomainsMax = 100

  /// An OpenID Connect issuer.
  package struct OIDC: Sendable, Equatable {
    /// The issuer, as its tokens have it in `iss`.
    package var issuer: String
    /// This server's client id at the issuer.
    package var clientID: String
    /// The client secret, which only the server's sealing key opens; nil without one.
    package var sealedSecret: String?
    /// True when browsers may sign in on the provider's page by the code flow.
    package var takesCodes: Bool
    /// True when the administrator wants an ID token from the provider's page. A client's ID token is verified in any
    /// case.
    package var takesIDTokens = true
    /// True when the provider's page redirects to the URI that the providers of the operator's file share, as registered by earlier
    /// versions. An answer on that URI is accepted only when it names its issuer (RFC 9207), which the configuration document must
    /// announce.
    package var usesSharedRedirectURI = false

    /// Creates an issuer with this server's client id there.
    package init(issuer: String, clientID: String, sealedSecret: String? = nil, takesCodes: Bool = false) {
      (self.issuer, self.clientID, self.sealedSecret, self.takesCodes) = (issuer, clientID, sealedSecret, takesCodes)
    }
  }

  /// A SAML 2.0 identity provider.
  package struct SAML: Sendable, Equatable {
    /// The identity provider's `entityID`.
    package var identityProviderID: String
    /// The URL of its sign-in page.
    package var signOnURL: String
    /// Its certificates, in PEM.
    package var certificates: [String]
    /// This server's entity id there.
    package var serviceProviderID: String
    /// The callback URL that the administrator wrote. Answers go to the page that the browser opened.
    package var callbackURL: String?
    /// True when requests are signed.
    package var signsRequests = false
    /// True when signatures with SHA-1 are accepted.
    package var allowsSHA1 = false
    /// The tolerated difference of the clocks; nil for the default.
    package var skewSeconds: Int64?

    /// Creates an identity provider.
    package init(
      identityProviderID: String, signOnURL: String, certificates: [String], serviceProviderID: String,
      callbackURL: String? = nil
    ) {
      self.identityProviderID = identityProviderID
      self.signOnURL = signOnURL
      self.certificates = certificates
      self.serviceProviderID = serviceProviderID
      self.callbackURL = callbackURL
    }
  }

  /// The kind of provider.
  package enum Kind: Sendable, Equatable {
    /// An OpenID Connect issuer.
    case oidc(OIDC)
    /// A SAML identity provider.
    case saml(SAML)
  }

  /// The id in tokens and user records: `oidc.corp`, `saml.corp`.
  package let id: String
  /// The display name.
  package var displayName: String?
  /// True when sign-ins by the provider are allowed.
  package var isEnabled = false
  /// The domains for whose addresses the provider is trusted; `*` stands for all domains.
  package var emailDomains: [String] = []
  /// The kind of provider.
  package var kind: Kind

  /// Creates a provider that is not enabled yet.
  package init(id: String, _ kind: Kind) { (self.id, self.kind) = (id, kind) }

  /// The SAML settings; nil for another kind of provider.
  package var saml: SAML? { if case .saml(let saml) = kind { saml } else { nil } }
  /// The OpenID Connect settings; nil for another kind of provider.
  package var oidc: OIDC? { if case .oidc(let oidc) = kind { oidc } else { nil } }

  /// Returns true when a text can be an id: the prefix, then lower-case letters, digits, dots and hyphens.
  package static func isID(_ text: String, prefix: String) -> Bool {
    guard text.utf8.starts(with: prefix.utf8) else { return false }
    let name = text.utf8.dropFirst(prefix.utf8.count)
    return (1...nameBytesMax).contains(name.count)
      && name.allSatisfy { byte in
        byte.isASCIILetterOrDigit && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      }
  }

  /// Returns true when the provider is trusted for the address's domain.
  func covers(_ email: String) -> Bool {
    if emailDomains.contains("*") { return true }
    guard let at = email.lastIndex(of: "@") else { return false }
    return emailDomains.contains(email[email.index(after: at)...].lowercased())
  }
}
