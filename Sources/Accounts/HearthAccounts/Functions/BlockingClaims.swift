import HearthCrypto
import HearthPlugin
import HearthTree

/// The claims of a blocking function's request token about the event, beside those about the token itself. The names
/// and forms are those that the function SDKs read.
enum BlockingClaims {
  static func of(_ event: HookEvent) -> [ClaimValue.Member] {
    var claims = Claims()
    claims.set("sub", event.user.uid)
    claims.set("tenant_id", event.user.tenantID)
    claims.set("event_id", event.id)
    claims.set("event_type", event.moment.rawValue)
    // The function SDK for Python fails without these two claims.
    claims.set("ip_address", event.clientAddress)
    claims.set("user_agent", event.userAgent)
    claims.set("locale", event.locale)
    claims.set("sign_in_method", event.signInMethod)
    claims.set("sign_in_second_factor", event.secondFactor)
    if let credential = event.credential {
      claims.set("raw_user_info", credential.profile.map { String(decoding: $0.text(), as: UTF8.self) })
      claims.set("sign_in_attributes", credential.attributes.flatMap { claimValue($0) })
      claims.set("oauth_id_token", credential.idToken)
      claims.set("oauth_access_token", credential.accessToken)
      claims.set("oauth_token_secret", credential.tokenSecret)
      claims.set("oauth_refresh_token", credential.refreshToken)
      claims.set("oauth_expires_in", credential.expiresInSeconds.map { .int($0) })
    }
    claims.set("user_record", record(of: event.user))
    return claims.members
  }

  private static func record(of user: HookUser) -> ClaimValue {
    var record = Claims()
    record.set("uid", user.uid)
    record.set("tenant_id", user.tenantID)
    record.set("email", user.email)
    record.set("email_verified", .bool(user.isEmailVerified))
    record.set("display_name", user.displayName)
    record.set("photo_url", user.photoURL)
    record.set("phone_number", user.phoneNumber)
    record.set("disabled", .bool(user.isDisabled))
    var metadata = Claims()
    metadata.set("creation_time", .int(user.createdAtMilliseconds))
    metadata.set("last_sign_in_time", .int(user.lastSignInAtMilliseconds ?? user.createdAtMilliseconds))
    record.set("metadata", .object(metadata.members))
    record.set("provider_data", .array(user.identities.map { identity(of: $0) }))
    if !user.factors.isEmpty {
      let factors = ClaimValue.array(user.factors.map { factor(of: $0) })
      record.set("multi_factor", .object([ClaimValue.Member("enrolled_factors", factors)]))
    }
    record.set("tokens_valid_after_time", user.tokensValidAfterSeconds.map { .int($0) })
    record.set("custom_claims", user.customClaims.flatMap { claimValue($0) } ?? .object([]))
    return .object(record.members)
  }

  private static func identity(of identity: HookIdentity) -> ClaimValue {
    var data = Claims()
    data.set("provider_id", identity.providerID)
    data.set("uid", identity.rawID)
    data.set("email", identity.email)
    data.set("display_name", identity.displayName)
    data.set("photo_url", identity.photoURL)
    data.set("phone_number", identity.phoneNumber)
    return .object(data.members)
  }

  private static func factor(of factor: HookFactor) -> ClaimValue {
    var data = Claims()
    data.set("uid", factor.id)
    data.set("factor_id", factor.kind)
    data.set("display_name", factor.displayName)
    data.set("phone_number", factor.phoneNumber)
    // `fromisoformat` of older Python versions does not accept "Z".
    let time = Timestamp.text(milliseconds: factor.enrolledAtMilliseconds)
    data.set("enrollment_time", time.dropLast() + "+00:00")
    return .object(data.members)
  }

  private static func claimValue(_ json: JSON) -> ClaimValue? {
    try? ClaimValue(json: String(decoding: json.text(), as: UTF8.self))
  }

  /// Members of an object; nil values are omitted.
  private struct Claims {
    private(set) var members: [ClaimValue.Member] = []

    mutating func set(_ name: String, _ text: String?) {
      if let text { members.append(ClaimValue.Member(name, .string(text))) }
    }

    mutating func set(_ name: String, _ value: ClaimValue?) {
      if let value { members.append(ClaimValue.Member(name, value)) }
    }
  }
}
