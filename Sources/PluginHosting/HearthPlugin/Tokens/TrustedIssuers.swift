/// The other issuers whose ID tokens open this server's databases, and the permitted addresses of their servers.
public struct TrustedIssuers: Sendable, Equatable {
  /// The issuers of Firebase projects.
  public var firebaseProjects: [TrustedIssuer] = []
  /// The other issuers. An issuer occurs several times when its audiences open different databases.
  public var issuers: [TrustedIssuer] = []
  /// All issuers.
  public var all: [TrustedIssuer] { firebaseProjects + issuers }
  /// The hosts, in lower case, that may have a private address.
  public var trustedHosts: [String] = []
  /// True when `http:` is permitted to this machine and to trusted hosts.
  public var allowsPlainHTTP = false
  /// A PEM file with the authorities of trusted hosts; nil for the system's.
  public var authorityFile: String?

  /// Creates a list without issuers.
  public init() {}
}

/// Another issuer of ID tokens, whom the operator trusts.
public struct TrustedIssuer: Sendable, Equatable {
  /// The value of `iss` in the issuer's tokens, byte for byte.
  public var issuer: String
  /// The accepted values of `aud`.
  public var audiences: [String]
  /// The URL of the issuer's JSON Web Key Set; nil to take it from the issuer's configuration document.
  public var keysURL: String?
  /// The text in front of `sub` in the uids of the issuer's users; empty when `sub` itself is the uid.
  public var uidPrefix: String
  /// True when a token must have a valid `auth_time`, as Firebase's tokens do.
  public var requiresAuthTime = false
  /// The databases that the tokens open; nil for all.
  public var databases: [String]?
  /// The regular lookup of signed-in users at the issuer; nil when it is not wanted.
  public var userLookup: UserLookup?

  /// Creates an issuer whose keys are found by its configuration document.
  public init(issuer: String, audiences: [String], uidPrefix: String) {
    self.issuer = issuer
    self.audiences = audiences
    self.uidPrefix = uidPrefix
  }

  /// Returns the issuer of a Firebase project's ID tokens. The uids are those of the project.
  ///
  /// Source: "Verify ID tokens using a third-party JWT library", in Firebase's documentation of Authentication.
  public static func firebase(projectID: String) -> TrustedIssuer {
    var issuer = TrustedIssuer(
      issuer: "https://securetoken.google.com/" + projectID, audiences: [projectID], uidPrefix: "")
    issuer.keysURL = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    issuer.requiresAuthTime = true
    return issuer
  }
}

/// A verifier of a trusted issuer's tokens, which is part of the server. Unlike a plugin's verifier it gets tokens that
/// name the server's own project as their issuer when the server's own keys did not sign them, and its answers hold all
/// claims.
package protocol IssuerTokenVerifier: TokenVerifier {
  /// The state of the lookup of signed-in users; nil when it is not wanted.
  var lookupStatus: UserLookupStatus? { get }

  /// Looks the signed-in users up at the issuer, regularly, until the task is cancelled. Returns at once when it is not
  /// wanted.
  func lookUpUsers(_ observer: UserLookupObserver) async
}

extension IssuerTokenVerifier {
  /// The default: no lookup.
  package var lookupStatus: UserLookupStatus? { nil }

  /// The default: no lookup.
  package func lookUpUsers(_ observer: UserLookupObserver) async {}
}
