import Foundation
import HearthTree

/// The identifiers of providers.
public enum AuthProviderID: Sendable, Equatable {
  /// Apple.
  case apple
  /// An address and a password.
  case email
  /// Facebook.
  case facebook
  /// Apple's game centre.
  case gameCenter
  /// GitHub.
  case gitHub
  /// Google.
  case google
  /// Microsoft.
  case microsoft
  /// A phone number.
  case phone
  /// Twitter.
  case twitter
  /// Yahoo.
  case yahoo
  /// Any other, `oidc.acme`.
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
  /// `password`
  public static let id = "password"

  /// An address and its password.
  public static func credential(withEmail email: String, password: String) -> AuthCredential {
    EmailAuthCredential(email: email, proof: .password(password))
  }

  /// An address and the link that was mailed to it.
  public static func credential(withEmail email: String, link: String) -> AuthCredential {
    EmailAuthCredential(email: email, proof: .link(link))
  }
}

/// Credentials of Google.
public enum GoogleAuthProvider {
  /// `google.com`
  public static let id = "google.com"

  /// What Google's sign-in gave the app.
  public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
    OAuthCredential(providerID: id, idToken: idToken, accessToken: accessToken)
  }
}

/// Credentials of Facebook.
public enum FacebookAuthProvider {
  /// `facebook.com`
  public static let id = "facebook.com"

  /// What Facebook's sign-in gave the app.
  public static func credential(withAccessToken accessToken: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: accessToken)
  }
}

/// Credentials of GitHub.
public enum GitHubAuthProvider {
  /// `github.com`
  public static let id = "github.com"

  /// What GitHub's sign-in gave the app.
  public static func credential(withToken token: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: token)
  }
}

/// Credentials of Twitter.
public enum TwitterAuthProvider {
  /// `twitter.com`
  public static let id = "twitter.com"

  /// What Twitter's sign-in gave the app.
  public static func credential(withToken token: String, secret: String) -> AuthCredential {
    OAuthCredential(providerID: id, accessToken: token, secret: secret)
  }
}

/// Credentials of any provider with OAuth or OpenID Connect.
public enum OAuthProvider {
  /// `OAuth`
  public static let id = "OAuth"

  /// - Parameter rawNonce: The nonce whose hash is in the ID token.
  public static func credential(
    withProviderID providerID: String, idToken: String, rawNonce: String?, accessToken: String? = nil
  ) -> OAuthCredential {
    OAuthCredential(providerID: providerID, idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)
  }

  /// An ID token, and an access token where there is one.
  public static func credential(
    withProviderID providerID: String, idToken: String, accessToken: String?
  ) -> OAuthCredential {
    OAuthCredential(providerID: providerID, idToken: idToken, accessToken: accessToken)
  }

  /// An access token.
  public static func credential(withProviderID providerID: String, accessToken: String) -> OAuthCredential {
    OAuthCredential(providerID: providerID, accessToken: accessToken)
  }

  /// - Parameter rawNonce: The nonce whose hash is in the ID token.
  public static func credential(
    providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
  ) -> OAuthCredential {
    credential(
      withProviderID: providerID.rawValue, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
  }

  /// An ID token, and an access token where there is one.
  public static func credential(
    providerID: AuthProviderID, idToken: String, accessToken: String? = nil
  ) -> OAuthCredential {
    credential(withProviderID: providerID.rawValue, idToken: idToken, accessToken: accessToken)
  }

  /// An access token.
  public static func credential(providerID: AuthProviderID, accessToken: String) -> OAuthCredential {
    credential(withProviderID: providerID.rawValue, accessToken: accessToken)
  }

  /// What Apple's sign-in gave the app.
  public static func appleCredential(
    withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents? = nil
  ) -> OAuthCredential {
    let names = [("firstName", fullName?.givenName), ("lastName", fullName?.familyName)].compactMap { key, name in
      name.map { JSON.Member(key, .string($0)) }
    }
    let user = names.isEmpty ? nil : ["name": .object(names)] as JSON
    return OAuthCredential(
      providerID: AuthProviderID.apple.rawValue, idToken: idToken, rawNonce: rawNonce,
      userJSON: user.map { String(decoding: $0.text(), as: UTF8.self) })
  }
}
