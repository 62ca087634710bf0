import Foundation
import HearthTree

/// What a provider says of a user.
public protocol UserInfo: Sendable {
  /// `google.com`, `password`; `Firebase` for the account itself.
  var providerID: String { get }
  /// The user's name at that provider.
  var uid: String { get }
  /// What the user is called.
  var displayName: String? { get }
  /// A picture.
  var photoURL: URL? { get }
  /// The address.
  var email: String? { get }
  /// With `+` and the country.
  var phoneNumber: String? { get }
}

extension UserRecord.ProviderRecord: UserInfo {}

/// When an account was made and used.
public struct UserMetadata: Sendable, Equatable {
  /// The time when the user signed in last.
  public let lastSignInDate: Date?
  /// The time when the account was made.
  public let creationDate: Date?
}

/// What else a sign-in told.
public struct AdditionalUserInfo: Sendable {
  /// `google.com`, `password`; nil where the server does not say.
  public let providerID: String?
  let profileJSON: JSON?
  /// The user's name at the provider.
  public let username: String?
  /// The account was made by this sign-in.
  public let isNewUser: Bool

  /// What the provider said of the user, in its own form.
  public var profile: [String: Any]? { profileJSON?.foundationDictionary }
}

/// Who signed in, and what was told of it.
public struct AuthDataResult: Sendable {
  /// The user.
  public let user: User
  /// What else the sign-in told.
  public let additionalUserInfo: AdditionalUserInfo?
  /// The provider's credential, as the server renewed it.
  public let credential: OAuthCredential?
}

/// An ID token and what is in it.
public struct AuthTokenResult: Sendable, CustomStringConvertible, CustomReflectable {
  /// The token itself, a secret.
  public let token: String
  /// The time when the token ends.
  public let expirationDate: Date
  /// The time when the user signed in.
  public let authDate: Date
  /// The time when the token was made.
  public let issuedAtDate: Date
  /// `password`, `google.com`, `anonymous`, `custom`, …
  public let signInProvider: String
  /// `phone`, `totp`; empty when there was none.
  public let signInSecondFactor: String
  let payload: JSON

  /// Everything that the token says, the developer's own claims among it.
  public var claims: [String: Any] { payload.foundationDictionary }

  public var description: String { "ID token until \(expirationDate)" }
  public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate]) }

  init(_ token: String) throws {
    guard let claims = IDTokenClaims(token) else { throw AuthErrorCode.malformedJWT.error() }
    self.token = token
    payload = claims.payload
    expirationDate = claims.date("exp")
    authDate = claims.date("auth_time")
    issuedAtDate = claims.date("iat")
    signInProvider = payload["firebase"]?["sign_in_provider"]?.string ?? ""
    signInSecondFactor = payload["firebase"]?["sign_in_second_factor"]?.string ?? ""
  }
}
