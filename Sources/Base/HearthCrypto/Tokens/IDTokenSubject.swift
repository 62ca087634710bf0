/// The properties of a user in an ID token.
public struct IDTokenSubject: Sendable {
  /// The user id: 1 to 128 characters, no control characters.
  public var uid: String
  /// The sign-in provider: `anonymous`, `password`, `custom`, `google.com`, `oidc.…`
  public var signInProvider: String
  /// The time of the interactive sign-in in seconds since 1970. A refresh of the token keeps it.
  public var authTimeSeconds: Int64
  /// The display name.
  public var name: String?
  /// URL of a picture.
  public var picture: String?
  /// The address, verified or not.
  public var email: String?
  /// True when the address is verified. Written only together with `email`.
  public var emailVerified = false
  /// The phone number in the form of E.164: `+` and digits.
  public var phoneNumber: String?
  /// The user's identifiers by provider, for `firebase.identities`.
  public var identities: [ClaimValue.Member] = []
  /// `firebase.tenant`: the tenant that the user belongs to; nil for none.
  public var tenant: String?
  /// The second factor of the sign-in: its kind (`totp`, `phone`) and the ID of its enrolment. nil for a sign-in with
  /// one factor.
  public var secondFactor: (provider: String, identifier: String)?
  /// True when the sign-in lacks a required second factor, and the token is only valid for enrolling one: it has a
  /// different audience, so that no server accepts it as a sign-in.
  public var isForEnrolment = false
  /// `firebase.sign_in_attributes`: the provider's statements about the user in this sign-in; nil for none.
  public var signInAttributes: ClaimValue?
  /// The generation of the user's tokens that this one belongs to, as `firebase.generation`: a server with accounts
  /// revokes all tokens of a generation together. nil for a token without an account.
  public var generation: Int64?
  /// The claims that are stored with the user. Claims of the session with the same name override them.
  public var customClaims: [ClaimValue.Member] = []
  /// The claims of this session only, from a custom token or a hook.
  public var sessionClaims: [ClaimValue.Member] = []

  /// Creates a subject with the kind and time of its sign-in. The caller sets the other properties.
  public init(uid: String, signInProvider: String, authTimeSeconds: Int64) {
    self.uid = uid
    self.signInProvider = signInProvider
    self.authTimeSeconds = authTimeSeconds
  }
}
