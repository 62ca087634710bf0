import Foundation
import HearthTree

/// Credentials of tokens that the app has.
extension OAuthProvider {
  /// - Parameter rawNonce: The nonce that the ID token has a hash of.
  public static func credential(
    withProviderID providerID: String, idToken: String, rawNonce: String?, accessToken: String? = nil
  ) -> OAuthCredential {
    OAuthCredential(providerID: providerID, idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)
  }

  /// Returns a credential of an ID token, and of an access token if there is one.
  public static func credential(
    withProviderID providerID: String, idToken: String, accessToken: String?
  ) -> OAuthCredential {
    OAuthCredential(providerID: providerID, idToken: idToken, accessToken: accessToken)
  }

  /// Returns a credential of an access token.
  public static func credential(withProviderID providerID: String, accessToken: String) -> OAuthCredential {
    OAuthCredential(providerID: providerID, accessToken: accessToken)
  }

  /// - Parameter rawNonce: The nonce that the ID token has a hash of.
  public static func credential(
    providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
  ) -> OAuthCredential {
    credential(
      withProviderID: providerID.rawValue, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
  }

  /// Returns a credential of an ID token, and of an access token if there is one.
  public static func credential(
    providerID: AuthProviderID, idToken: String, accessToken: String? = nil
  ) -> OAuthCredential {
    credential(withProviderID: providerID.rawValue, idToken: idToken, accessToken: accessToken)
  }

  /// Returns a credential of an access token.
  public static func credential(providerID: AuthProviderID, accessToken: String) -> OAuthCredential {
    credential(withProviderID: providerID.rawValue, accessToken: accessToken)
  }

  /// Returns a credential of Apple's sign-in.
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
