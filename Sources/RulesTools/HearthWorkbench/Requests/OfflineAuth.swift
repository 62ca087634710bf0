import HearthTree

/// Makes the `auth` value of users without a real sign-in.
package enum OfflineAuth {
  /// The user, the provider, and a token with the claims of each ID token and the given ones, which take precedence.
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
