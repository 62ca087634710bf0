import Foundation
import HearthTree

/// A provider's profile of a user.
public protocol UserInfo: Sendable {
  /// The provider: `google.com`, `password`, or `Firebase` for the account itself.
  var providerID: String { get }
  /// The user's identifier at that provider.
  var uid: String { get }
  /// The user's display name.
  var displayName: String? { get }
  /// The URL of the user's picture.
  var photoURL: URL? { get }
  /// The e-mail address.
  var email: String? { get }
  /// The phone number in E.164 form.
  var phoneNumber: String? { get }
}

extension StoredUser.ProviderRecord: UserInfo {}

/// The times of an account's creation and last sign-in.
public struct UserMetadata: Sendable, Equatable {
  /// The time of the last sign-in.
  public let lastSignInDate: Date?
  /// The time of the creation.
  public let creationDate: Date?
}

/// The additional information of a sign-in.
public struct AdditionalUserInfo: Sendable {
  /// The provider, such as `google.com` or `password`; empty when the server omits it.
  public let providerID: String
  let profileJSON: JSON?
  /// The user's name at the provider.
  public let username: String?
  /// True when this sign-in created the account.
  public let isNewUser: Bool

  /// The provider's profile of the user, in the provider's format.
  public var profile: [String: Any]? { profileJSON?.foundationDictionary }
}

/// The result of a sign-in.
public struct AuthDataResult: Sendable {
  /// The signed-in user.
  public let user: User
  /// The additional information of the sign-in.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The renewed credential of the provider; nil when the server sent none.
  public let credential: OAuthCredential?
}

/// An ID token with its claims.
public struct AuthTokenResult: Sendable, CustomStringConvertible, CustomReflectable {
  /// The token, a secret.
  public let token: String
  /// The time of the token's expiry.
  public let expirationDate: Date
  /// The time of the sign-in.
  public let authDate: Date
  /// The time of the token's issue.
  public let issuedAtDate: Date
  /// The sign-in provider: `password`, `google.com`, `anonymous`, `custom`, …
  public let signInProvider: String
  /// The second factor, `phone` or `totp`; empty when there was none.
  public let signInSecondFactor: String
  let payload: JSON

  /// The token's claims, including the developer's custom claims.
  public var claims: [String: Any] { payload.foundationDictionary }

  public var description: String { "ID token until \(expirationDate)" }
  public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate]) }

  init(_ token: String) throws {
    guard let claims = IDTokenPayload(token) else { throw AuthErrorCode.malformedJWT.error() }
    self.token = token
    payload = claims.payload
    expirationDate = claims.date("exp")
    authDate = claims.date("auth_time")
    issuedAtDate = claims.date("iat")
    signInProvider = payload["firebase"]?["sign_in_provider"]?.string ?? ""
    signInSecondFactor = payload["firebase"]?["sign_in_second_factor"]?.string ?? ""
  }
}
