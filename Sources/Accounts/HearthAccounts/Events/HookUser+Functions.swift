import HearthPlugin
import HearthTree

extension HookUser {
  /// The account as functions of the first generation read it: no hash, no secret and no token.
  package var functionJSON: JSON {
    var user = Members()
    user.set("uid", uid)
    user.set("tenantId", tenantID)
    user.set("email", email)
    user.add("emailVerified", .bool(isEmailVerified))
    user.set("displayName", displayName)
    user.set("photoURL", photoURL)
    user.set("phoneNumber", phoneNumber)
    user.add("disabled", .bool(isDisabled))
    var times = Members()
    times.set("creationTime", Timestamp.text(milliseconds: createdAtMilliseconds))
    times.set("lastSignInTime", lastSignInAtMilliseconds.map { Timestamp.text(milliseconds: $0) })
    user.add("metadata", .object(times.all))
    user.add("providerData", .array(identities.map(\.functionJSON)))
    user.add("customClaims", customClaims ?? .object([]))
    if !factors.isEmpty {
      user.add("mfaInfo", .array(factors.map(\.functionJSON)))
    }
    return .object(user.all)
  }

  /// Members of an object; nil texts are omitted.
  fileprivate struct Members {
    private(set) var all: [JSON.Member] = []

    mutating func add(_ name: String, _ value: JSON) { all.append(JSON.Member(name, value)) }

    mutating func set(_ name: String, _ text: String?) {
      if let text { add(name, .string(text)) }
    }
  }
}

extension HookIdentity {
  fileprivate var functionJSON: JSON {
    var data = HookUser.Members()
    data.set("providerId", providerID)
    data.set("uid", rawID)
    data.set("email", email)
    data.set("displayName", displayName)
    data.set("photoURL", photoURL)
    data.set("phoneNumber", phoneNumber)
    return .object(data.all)
  }
}

extension HookFactor {
  fileprivate var functionJSON: JSON {
    var data = HookUser.Members()
    data.set("mfaEnrollmentId", id)
    data.set("factorId", kind)
    data.set("displayName", displayName)
    data.set("phoneInfo", phoneNumber)
    data.set("enrolledAt", Timestamp.text(milliseconds: enrolledAtMilliseconds))
    return .object(data.all)
  }
}
