import HearthTree

/// The `auth` value of test users, without a real sign-in.
package enum OfflineAuth {
  /// Returns the `auth` of a user: the uid, the provider, and a token with the claims of every ID token and the given
  /// claims, which take precedence.
  package static func user(_ uid: String, claims: [JSON.Member] = [], provider: String = "custom") -> JSON {
    let standard: [JSON.Member] = [
      .init("sub", .string(uid)), .init("user_id", .string(uid)),
      .init("firebase", ["sign_in_provider": .string(provider)]),
    ]
    let names = Set(claims.map { Key($0.name) })
    let token = standard.filter { !names.contains(Key($0.name)) } + claims
    return ["uid": .string(uid), "provider": .string(provider), "token": .object(token)]
  }
}
