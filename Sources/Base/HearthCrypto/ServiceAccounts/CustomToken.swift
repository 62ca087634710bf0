/// The content of a verified custom token.
public struct CustomToken: Sendable, Equatable {
  /// The user id: 1 to 128 characters, no control characters.
  public var uid: String
  /// Claims of the new session; none of them has a reserved name.
  public var claims: [ClaimValue.Member]
  /// `tenant_id`: the tenant that the user belongs to; nil for none.
  public var tenant: String?
  /// The time of issue in seconds since 1970; nil for an unsigned token, whose times are not verified.
  public var issuedAtSeconds: Int64?
  /// The service account that signed; nil for an unsigned token of an emulator client.
  public var issuer: String?
}
