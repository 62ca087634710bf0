import HearthTree

// In messages between the server and a plugin, an answer is an object with one member: `{"user": {"uid": "sensor-7"}}`,
// `{"refused": {"code": "…"}}`.

extension SignInAnswer {
  private enum Name: String, CodingKey, CaseIterable {
    case identity, user, anonymous, password, emailCode, refused
  }

  /// - Throws: `DecodingError` unless exactly one of the known members is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    let names = Name.allCases.filter(container.contains)
    guard names.count == 1, let name = names.first else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "must have one member that is an answer"))
    }
    self =
      switch name {
      case .identity: .identity(try container.decode(ForeignIdentity.self, forKey: name))
      case .user: .user(try container.decode(NamedUser.self, forKey: name))
      case .anonymous: .anonymous
      case .password: .password(try container.decode(PasswordProof.self, forKey: name))
      case .emailCode: .emailCode(try container.decode(EmailCodeProof.self, forKey: name))
      case .refused: .refused(try container.decode(SignInRefusal.self, forKey: name))
      }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    switch self {
    case .identity(let identity): try container.encode(identity, forKey: .identity)
    case .user(let user): try container.encode(user, forKey: .user)
    case .anonymous: try container.encode([String: String](), forKey: .anonymous)
    case .password(let proof): try container.encode(proof, forKey: .password)
    case .emailCode(let proof): try container.encode(proof, forKey: .emailCode)
    case .refused(let refusal): try container.encode(refusal, forKey: .refused)
    }
  }
}

extension ForeignIdentity {
  private enum Name: String, CodingKey {
    case rawID, email, isEmailVerified, displayName, firstName, lastName, photoURL, screenName, profile, attributes
  }

  /// Decodes an identity. Only `rawID` is required; an absent `isEmailVerified` is false.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    self.init(
      rawID: try container.decode(String.self, forKey: .rawID),
      email: try container.decodeIfPresent(String.self, forKey: .email),
      isEmailVerified: try container.decodeIfPresent(Bool.self, forKey: .isEmailVerified) ?? false)
    displayName = try container.decodeIfPresent(String.self, forKey: .displayName)
    firstName = try container.decodeIfPresent(String.self, forKey: .firstName)
    lastName = try container.decodeIfPresent(String.self, forKey: .lastName)
    photoURL = try container.decodeIfPresent(String.self, forKey: .photoURL)
    screenName = try container.decodeIfPresent(String.self, forKey: .screenName)
    profile = try container.decodeIfPresent(JSON.self, forKey: .profile)
    attributes = try container.decodeIfPresent(JSON.self, forKey: .attributes)
  }
}
