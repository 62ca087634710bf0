import HearthTree

/// An object of an answer, member by member. What is nil is left out.
struct ReplyObject: Sendable {
  private(set) var members: [JSON.Member] = []

  init() {}

  /// - Parameter kind: the answer's type: `SignupNewUser` makes `identitytoolkit#SignupNewUserResponse`.
  init(kind: String) { set("kind", "identitytoolkit#\(kind)Response") }

  var json: JSON { .object(members) }

  mutating func set(_ name: String, _ text: String?) {
    if let text { members.append(JSON.Member(name, .string(text))) }
  }

  mutating func set(_ name: String, _ value: Bool?) {
    if let value { members.append(JSON.Member(name, .bool(value))) }
  }

  mutating func set(_ name: String, _ value: JSON?) {
    if let value { members.append(JSON.Member(name, value)) }
  }

  /// Nothing when it is empty.
  mutating func set(_ name: String, list: [JSON]) {
    if !list.isEmpty { members.append(JSON.Member(name, .array(list))) }
  }

  mutating func set(_ tokens: TokenTriple?) {
    guard let tokens else { return }
    set("idToken", tokens.idToken)
    set("refreshToken", tokens.refreshToken)
    set("expiresIn", String(tokens.expiresInSeconds))
  }
}

extension Accounts {
  /// Stands where a password hash is: clients tell password users from anonymous ones by it.
  static let redactedHash = "UkVEQUNURUQ="

  /// A user as the identity protocol shows them.
  ///
  /// - Parameter redacted: false shows the second factors' phone numbers whole, as administrators see them.
  func userInfo(_ user: UserRecord, redacted: Bool = true) -> JSON {
    var info = ReplyObject()
    info.set("localId", user.uid)
    info.set("email", user.email)
    if user.email != nil { info.set("emailVerified", user.isEmailVerified) }
    info.set("displayName", user.displayName)
    info.set("photoUrl", user.photoURL)
    info.set("phoneNumber", user.phoneNumber)
    info.set("providerUserInfo", list: Self.providerInfo(user))
    if let password = user.password {
      info.set("passwordHash", Self.redactedHash)
      info.set("passwordUpdatedAt", .int(password.updatedAtMilliseconds))
    }
    info.set("validSince", String(user.validSinceSeconds))
    info.set("disabled", user.isDisabled ? true : nil)
    info.set("customAuth", user.isCustomAuth ? true : nil)
    info.set("customAttributes", user.customAttributes)
    info.set("createdAt", String(user.createdAtMilliseconds))
    info.set("lastLoginAt", user.lastSignInAtMilliseconds.map { String($0) })
    info.set("lastRefreshAt", user.lastRefreshAtMilliseconds.map { Timestamp.text(milliseconds: $0) })
    info.set("initialEmail", user.initialEmail)
    info.set("mfaInfo", list: user.factors.map { Self.factorInfo($0, redacted: redacted) })
    return info.json
  }

  /// The ways in that the user has, as `providerUserInfo` shows them.
  static func providerInfo(_ user: UserRecord) -> [JSON] {
    var list: [JSON] = []
    // Who signs in by mailed links alone is a user of the password provider to clients.
    let isLinkOnly = user.identities.isEmpty && user.phoneNumber == nil && !user.isCustomAuth
    if let email = user.email, user.password != nil || isLinkOnly {
      var info = ReplyObject()
      info.set("providerId", "password")
      info.set("rawId", email)
      info.set("federatedId", email)
      info.set("email", email)
      info.set("displayName", user.displayName)
      info.set("photoUrl", user.photoURL)
      list.append(info.json)
    }
    if let phone = user.phoneNumber {
      var info = ReplyObject()
      info.set("providerId", "phone")
      info.set("rawId", phone)
      info.set("phoneNumber", phone)
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
    return list
  }

  static func federatedID(_ providerID: String, _ rawID: String) -> String {
    providerID == "google.com" ? "https://accounts.google.com/\(rawID)" : rawID
  }

  static func factorInfo(_ factor: SecondFactor, redacted: Bool) -> JSON {
    var info = ReplyObject()
    info.set("mfaEnrollmentId", factor.id)
    info.set("displayName", factor.displayName)
    info.set("enrolledAt", Timestamp.text(milliseconds: factor.enrolledAtMilliseconds))
    switch factor.kind {
    case .totp: info.set("totpInfo", JSON.object([]))
    case .phone(let number):
      let hidden = String(repeating: "*", count: max(0, number.count - 4)) + number.suffix(4)
      info.set("phoneInfo", redacted ? hidden : number)
    }
    return info.json
  }
}

extension Timestamp {
  /// `2024-05-31T12:00:00.123Z`. Times before 1970 and after the year 9999 are told as the nearest border.
  static func text(milliseconds: Int64) -> String {
    let clamped = min(max(milliseconds, 0), 253_402_300_799_999)
    let (days, rest) = clamped.quotientAndRemainder(dividingBy: 86_400_000)
    // Counted from the first of March of the year 0, so that the leap day is the year's last.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2)]
    let time = [padded(rest / 3_600_000, 2), padded(rest / 60_000 % 60, 2), padded(rest / 1_000 % 60, 2)]
    return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(padded(rest % 1_000, 3))Z"
  }

  private static func padded(_ number: Int64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
