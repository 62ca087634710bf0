import HearthAccounts
import HearthTree

/// Users, their identities and factors, in the identity protocol's form.
package enum UserInfoAnswer {
  /// The placeholder for a password hash: by it clients tell password users from anonymous ones.
  static let redactedHash = "UkVEQUNURUQ="

  /// A user in the identity protocol's form, for the user's own clients and for administrators.
  ///
  /// - Parameter tenant: the user's; nil for none.
  package static func json(_ user: UserRecord, tenant: String? = nil) -> JSON {
    var info = ReplyObject()
    info.set("localId", user.uid)
    info.set("tenantId", tenant)
    info.set("email", user.email)
    if user.email != nil { info.set("emailVerified", user.isEmailVerified) }
    info.set("displayName", user.displayName)
    info.set("photoUrl", user.photoURL)
    info.set("screenName", user.identities.lazy.compactMap(\.screenName).first)
    info.set("phoneNumber", user.phoneNumber)
    info.set("providerUserInfo", list: providers(user))
    if let password = user.password {
      info.set("passwordHash", redactedHash)
      info.set("passwordUpdatedAt", .int(password.updatedAtMilliseconds))
    }
    info.set("emailLinkSignin", user.hasEmailLink ? true : nil)
    info.set("validSince", String(user.validSinceSeconds))
    info.set("disabled", user.isDisabled ? true : nil)
    info.set("customAuth", user.isCustomAuth ? true : nil)
    info.set("customAttributes", user.customAttributes)
    info.set("createdAt", String(user.createdAtMilliseconds))
    info.set("lastLoginAt", user.lastSignInAtMilliseconds.map { String($0) })
    info.set("lastRefreshAt", user.lastRefreshAtMilliseconds.map { Timestamp.text(milliseconds: $0) })
    info.set("initialEmail", user.initialEmail)
    info.set("mfaInfo", list: user.factors.map { factor($0, redacted: false) })
    if !user.factors.isEmpty { info.set("recoveryCodesLeft", .int(Int64(user.recoveryCodes.count))) }
    info.set("passkeyInfo", list: user.passkeys.map { passkey($0) })
    return info.json
  }

  private static func passkey(_ key: Passkey) -> JSON {
    var info = ReplyObject()
    info.set("credentialId", key.id)
    info.set("name", key.name)
    return info.json
  }

  /// The user's credentials, as `providerUserInfo` shows them.
  static func providers(_ user: UserRecord) -> [JSON] {
    var list: [JSON] = []
    // To clients, a user with mailed links belongs to the password provider.
    if let email = user.email, user.password != nil || user.hasEmailLink {
      var info = ReplyObject()
      info.set("providerId", "password")
      info.set("rawId", email)
      info.set("federatedId", email)
      info.set("email", email)
      info.set("displayName", user.displayName)
      info.set("photoUrl", user.photoURL)
      list.append(info.json)
    }
    for identity in user.identities {
      var info = ReplyObject()
      info.set("providerId", identity.providerID)
      info.set("rawId", identity.rawID)
      info.set("federatedId", federatedID(identity.providerID, identity.rawID))
      info.set("email", identity.email)
      info.set("displayName", identity.displayName)
      info.set("photoUrl", identity.photoURL)
      info.set("screenName", identity.screenName)
      list.append(info.json)
    }
    if let phone = user.phoneNumber {
      var info = ReplyObject()
      info.set("providerId", "phone")
      info.set("rawId", phone)
      info.set("phoneNumber", phone)
      list.append(info.json)
    }
    return list
  }

  static func federatedID(_ providerID: String, _ rawID: String) -> String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID
  }

  /// - Parameter redacted: shows only the end of a phone number, for a user who has not shown the factor yet.
  static func factor(_ factor: SecondFactor, redacted: Bool) -> JSON {
    var info = ReplyObject()
    info.set("mfaEnrollmentId", factor.id)
    info.set("displayName", factor.displayName)
    info.set("enrolledAt", Timestamp.text(milliseconds: factor.enrolledAtMilliseconds))
    switch factor.kind {
    case .totp: info.set("totpInfo", JSON.object([]))
    case .phone(let number):
      info.set("phoneInfo", redacted ? hidden(number) : number)
      info.set("unobfuscatedPhoneInfo", redacted ? nil : number)
    }
    return info.json
  }

  /// A phone number with only its last digits visible, `+*******0100`.
  private static func hidden(_ number: String) -> String {
    number.dropLast(4).map { $0 == "+" ? "+" : "*" }.joined() + number.suffix(4)
  }
}
