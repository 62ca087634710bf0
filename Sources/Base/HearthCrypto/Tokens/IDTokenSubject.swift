/// What an ID token is to say about a user.
public struct IDTokenSubject: Sendable {
  /// 1 to 128 characters, no control characters.
  public var uid: String
  /// How the user signed in: `anonymous`, `password`, `custom`, `google.com`, `oidc.…`
  public var signInProvider: String
  /// Seconds since 1970 of the interactive sign-in. Does not move when the token is refreshed.
  public var authTimeSeconds: Int64
  /// The display name.
  public var name: String?
  /// URL of a picture.
  public var picture: String?
  /// The address, verified or not.
  public var email: String?
  /// Written only together with `email`.
  public var emailVerified = false
  /// In the form of E.164: `+` and digits.
  public var phoneNumber: String?
  /// Provider → identifiers, as `firebase.identities` shows them.
  public var identities: [ClaimValue.Member] = []
  /// `firebase.tenant`: the tenant that the user belongs to; nil for none.
  public var tenant: String?
  /// The second factor that was shown: its kind (`totp`, `phone`) and the id of its enrolment. Nil for a sign-in with
  /// one factor.
  public var secondFactor: (provider: String, identifier: String)?
  /// The sign-in lacks a second factor that is required, and the token is good for nothing but enrolling one: its
  /// audience is another, so that no server takes it for a sign-in.
  public var isForEnrolment = false
  /// `firebase.sign_in_attributes`: what the provider of this sign-in says of the person; nil for nothing.
  public var signInAttributes: ClaimValue?
  /// The generation of the user's tokens that this one is of, as `firebase.generation`: a server that keeps accounts
  /// ends a generation as a whole. Nil for a token that no account stands behind.
  public var generation: Int64?
  /// Claims stored with the user, then those of this session; later ones win.
  public var customClaims: [ClaimValue.Member] = []
  /// Claims of this session alone, from a custom token or a hook.
  public var sessionClaims: [ClaimValue.Member] = []

  /// A user of whom no more is known than how and when the sign-in was; the rest is set afterwards.
  public init(uid: String, signInProvider: String, authTimeSeconds: Int64) {
    self.uid = uid
    self.signInProvider = signInProvider
    self.authTimeSeconds = authTimeSeconds
  }
}
