/// A provider that an administrator set up while the server ran: an OpenID Connect issuer, or a company's identity provider
/// that speaks SAML. The names are those of Identity Platform's `OAuthIdpConfig` and `InboundSamlConfig`.
package struct ProviderConfiguration: Sendable, Equatable {
  /// `oidc.…`
  package static let oidcPrefix = "oidc."
  /// `saml.…`
  package static let samlPrefix = "saml."
  /// Of a project, or of one of its tenants.
  static let countMax = 100
  /// An id, without its prefix, in bytes.
  static let nameBytesMax = 64
  /// A name for people, in characters.
  package static let displayNameLengthMax = 128
  /// An issuer, an address or an entity id, in bytes.
  package static let addressBytesMax = 2_048
  /// Domains whose addresses the provider is believed.
  package static let emailDomainsMax = 100

  /// An OpenID Connect issuer.
  package struct OIDC: Sendable, Equatable {
    /// As its tokens have it in `iss`.
    package var issuer: String
    /// Ours there.
    package var clientID: String
    /// Nil without one. Sealed: it opens with the server's sealing key alone.
    package var sealedSecret: String?
    /// People may sign in on its page by the code flow.
    package var takesCodes: Bool
    /// As the administrator wrote it: of what its page gives, an ID token. Clients that bring one are judged by that token.
    package var takesIDTokens = true
    /// Its page sends browsers back to the address that the providers of the operator's file share, where earlier versions
    /// had it registered. Its answers count then when they name their issuer, and its configuration document promises that.
    package var usesSharedRedirectURI = false

    /// An issuer with the client that we are there.
    package init(issuer: String, clientID: String, sealedSecret: String? = nil, takesCodes: Bool = false) {
      (self.issuer, self.clientID, self.sealedSecret, self.takesCodes) = (issuer, clientID, sealedSecret, takesCodes)
    }
  }

  /// An identity provider that speaks SAML 2.0.
  package struct SAML: Sendable, Equatable {
    /// As it calls itself: `entityID`.
    package var identityProviderID: String
    /// Its page.
    package var signOnURL: String
    /// In PEM.
    package var certificates: [String]
    /// As we call ourselves there.
    package var serviceProviderID: String
    /// As the administrator wrote it. Answers go to the page that the browser opened.
    package var callbackURL: String?
    /// True when questions are signed.
    package var signsRequests = false
    /// True when signatures with SHA-1 count.
    package var allowsSHA1 = false
    /// What its clock may differ by from ours; nil for the usual.
    package var skewSeconds: Int64?

    /// An identity provider.
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

  /// What kind of provider it is.
  package enum Kind: Sendable, Equatable {
    /// An OpenID Connect issuer.
    case oidc(OIDC)
    /// An identity provider that speaks SAML.
    case saml(SAML)
  }

  /// `oidc.corp`, `saml.corp`: as tokens and user records show it.
  package let id: String
  /// For people.
  package var displayName: String?
  /// True when anybody signs in by it.
  package var isEnabled = false
  /// Domains whose addresses it is believed to give out; `*` is every one.
  package var emailDomains: [String] = []
  /// What kind of provider it is.
  package var kind: Kind

  /// A provider that nobody signs in by yet.
  package init(id: String, _ kind: Kind) { (self.id, self.kind) = (id, kind) }

  /// Nil for one that does not speak SAML.
  package var saml: SAML? { if case .saml(let saml) = kind { saml } else { nil } }
  /// Nil for one that is no OpenID Connect issuer.
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

  /// Returns true when the provider is believed that an address is the person's.
  func covers(_ email: String) -> Bool {
    if emailDomains.contains("*") { return true }
    guard let at = email.lastIndex(of: "@") else { return false }
    return emailDomains.contains(email[email.index(after: at)...].lowercased())
  }
}
