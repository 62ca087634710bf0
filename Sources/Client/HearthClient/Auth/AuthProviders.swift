/// The identifiers of providers.
public enum AuthProviderID: Sendable, Equatable {
  /// The Apple provider.
  case apple
  /// An address and a password.
  case email
  /// The Facebook provider.
  case facebook
  /// The Game Center provider.
  case gameCenter
  /// The GitHub provider.
  case gitHub
  /// The Google provider.
  case google
  /// The Microsoft provider.
  case microsoft
  /// A phone number.
  case phone
  /// The Twitter provider.
  case twitter
  /// The Yahoo provider.
  case yahoo
  /// A custom provider, such as `oidc.acme`.
  case custom(String)

  public var rawValue: String {
    switch self {
    case .apple: "apple.com"
    case .email: "password"
    case .facebook: "facebook.com"
    case .gameCenter: "gc.apple.com"
    case .gitHub: "github.com"
    case .google: "google.com"
    case .microsoft: "microsoft.com"
    case .phone: "phone"
    case .twitter: "twitter.com"
    case .yahoo: "yahoo.com"
    case .custom(let id): id
    }
  }
}

/// Credentials with an e-mail address.
public enum EmailAuthProvider {
  /// The provider id `password`.
  public static let id = "password"

  /// Returns a credential of an address and its password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    EmailAuthCredential(email: email, proof: .password(password))
  }

  /// Returns a credential of an address and the link that was mailed to it.
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    EmailAuthCredential(email: email, proof: .link(link))
  }
}

/// Credentials of Google.
public enum GoogleAuthProvider {
  /// The provider id `google.com`.
  public static let id = "google.com"

  /// Returns a credential of Google's sign-in.
  public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
    OAuthCredential(providerID: id, idToken: idToken, accessToken: accessToken)
  }
}

/// Credentials of Facebook.
public enum FacebookAuthProvider {
  /// The provider id `facebook.com`.
  public static let id = "facebook.com"

  /// Returns a credential of Facebook's sign-in.
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: accessToken)
  }
}

/// Credentials of GitHub.
public enum GitHubAuthProvider {
  /// The provider id `github.com`.
  public static let id = "github.com"

  /// Returns a credential of GitHub's sign-in.
  public static func credential(withToken token: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: token)
  }
}

/// Credentials of Twitter.
public enum TwitterAuthProvider {
  /// The provider id `twitter.com`.
  public static let id = "twitter.com"

  /// Returns a credential of Twitter's sign-in.
  public static func credential(withToken token: String, secret: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: token, secret: secret)
  }
}
