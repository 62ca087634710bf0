import HearthTree

/// A credential that a user can sign in with. Its description omits the secret.
///
/// It is `@unchecked Sendable` because it has subclasses; all of its properties and theirs are constants.
public class AuthCredential: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  /// The provider: `password`, `google.com`, …
  public let provider: String

  init(provider: String) { self.provider = provider }

  public var description: String { "credential of \(provider)" }
  public var customMirror: Mirror { Mirror(self, children: ["provider": provider]) }
}

/// The credential of an address with a password or a mailed link.
final class EmailAuthCredential: AuthCredential, @unchecked Sendable {
  enum Proof: Sendable {
    case password(String)
    case link(String)
  }

  let email: String
  let proof: Proof

  init(email: String, proof: Proof) {
    self.email = email
    self.proof = proof
    super.init(provider: EmailAuthProvider.id)
  }
}

/// A credential that another provider issued to the user.
public final class OAuthCredential: AuthCredential, @unchecked Sendable {
  /// The provider's ID token.
  public let idToken: String?
  /// The provider's access token.
  public let accessToken: String?
  /// The secret of an OAuth 1 access token.
  public let secret: String?
  let rawNonce: String?
  /// A JSON object with the user's name, which Apple sends only to the app.
  let userJSON: String?
  /// The result of a sign-in page; nil for a credential of tokens.
  let page: PageResult?
  /// The server's text for a provider's user that has no account yet.
  let pendingToken: String?

  /// The result of a sign-in page of the server, which is valid once.
  struct PageResult: Sendable {
    var url: String
    /// The random text whose digest the page was opened with, a secret.
    var sessionID: String
  }

  init(
    providerID: String, idToken: String? = nil, accessToken: String? = nil, secret: String? = nil,
    rawNonce: String? = nil, userJSON: String? = nil, page: PageResult? = nil, pendingToken: String? = nil
  ) {
    self.page = page
    self.pendingToken = pendingToken
    self.idToken = idToken
    self.accessToken = accessToken
    self.secret = secret
    self.rawNonce = rawNonce
    self.userJSON = userJSON
    super.init(provider: providerID)
  }

  /// Returns the credential with the tokens that the provider issued at the sign-in, as a response names them.
  func renewed(by answer: JSON) -> OAuthCredential {
    OAuthCredential(
      providerID: provider, idToken: answer["oauthIdToken"]?.string ?? idToken,
      accessToken: answer["oauthAccessToken"]?.string ?? accessToken,
      secret: answer["oauthTokenSecret"]?.string ?? secret, rawNonce: answer["nonce"]?.string ?? rawNonce,
      pendingToken: answer["pendingToken"]?.string)
  }

  /// The encoding of the credential in a request.
  var postBody: String {
    let fields = [
      ("providerId", provider), ("id_token", idToken), ("access_token", accessToken), ("oauth_token_secret", secret),
      ("nonce", rawNonce), ("user", userJSON),
    ]
    return FormEncoding.encode(fields.compactMap { name, value in value.map { (name, $0) } })
  }
}
