import HearthTree

extension JSON {
  /// Returns the `auth` of a signed-in user, with claims below `auth.token` by their names.
  static func auth(uid: String, provider: String, claims: [(names: [String], value: Scalar)]) -> JSON {
    var auth: JSON = [
      "uid": .string(uid), "provider": .string(provider),
      "token": ["sub": .string(uid), "user_id": .string(uid), "firebase": ["sign_in_provider": .string(provider)]],
    ]
    for claim in claims { auth.set(["token"] + claim.names, JSON(claim.value)) }
    return auth
  }
}

extension JSON {
  init(_ scalar: Scalar) {
    switch scalar {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let text): self = .string(text)
    }
  }

  /// Sets a value at a path of members, creating the objects on the path.
  mutating func set(_ names: [String], _ value: JSON) {
    guard let name = names.first else {
      self = value
      return
    }
    var members = members ?? []
    var inner = self[name] ?? [:]
    inner.set(Array(names.dropFirst()), value)
    members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
    members.append(.init(name, inner))
    self = .object(members)
  }
}

extension ExposureIdentity {
  /// Returns the `auth` of a user of the class, as similar as possible to a given one without custom claims; nil for a
  /// signed-out client.
  func auth(like other: JSON?) -> JSON? {
    if self == .signedOut { return nil }
    var auth = other ?? .auth(uid: "bob", provider: "password", claims: [])
    if case .holder(let names, let value) = self { auth.set(["token"] + names, JSON(value)) }
    return auth
  }
}
