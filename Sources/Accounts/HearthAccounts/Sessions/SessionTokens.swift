import HearthCrypto

/// Issues the tokens of sessions.
struct SessionTokens: Sendable {
  let context: AccountsContext
  /// The claims that plugins add.
  var claims: TokenClaims { TokenClaims(context: context) }

  /// The tokens of a session that has begun.
  ///
  /// - Parameter record: the stored session.
  /// - Throws: `claimsTooLarge`; `unavailable` when the key does not sign.
  func tokens(
    of user: UserRecord, beginning session: NewSession, as record: SessionRecord
  ) throws(AccountError) -> TokenTriple {
    try tokens(of: user, session: record, refreshToken: session.token.text, adding: session.added)
  }

  /// The tokens of a session that begins or was refreshed.
  ///
  /// - Parameters:
  ///   - added: the claims of plugins, from ``claims``.
  ///   - nowSeconds: the time of issue, in seconds since 1970; nil for the second in which the session began.
  /// - Throws: `claimsTooLarge`; `unavailable` when the key does not sign.
  func tokens(
    of user: UserRecord, session: SessionRecord, refreshToken: String, adding added: [ClaimValue.Member],
    nowSeconds: Int64? = nil
  ) throws(AccountError) -> TokenTriple {
    let lifetimeSeconds = context.configuration.idTokenLifetimeSeconds
    do {
      let idToken = try context.keys.mintIDToken(
        subject(for: user, session: session, adding: added),
        issuedAtSeconds: nowSeconds ?? session.createdAtSeconds,
        lifetimeSeconds: lifetimeSeconds)
      return TokenTriple(idToken: idToken, refreshToken: refreshToken, expiresInSeconds: lifetimeSeconds)
    } catch {
      context.notice(AccountsNotice(.error, "an ID token could not be created: \(error.code.rawValue)"))
      throw AccountError(error.code == .claimsTooLarge ? .claimsTooLarge : .unavailable)
    }
  }

  /// Returns the user's part of a session's tokens.
  private func subject(
    for user: UserRecord, session: SessionRecord, adding added: [ClaimValue.Member]
  ) -> IDTokenSubject {
    var subject = IDTokenSubject(
      uid: user.uid, signInProvider: session.signInProvider, authTimeSeconds: session.authTimeSeconds)
    subject.name = user.displayName
    subject.picture = user.photoURL
    subject.email = user.email
    subject.emailVerified = user.isEmailVerified
    subject.phoneNumber = user.phoneNumber
    subject.identities = Self.identityClaims(user)
    subject.tenant = context.keys.tenant
    subject.customClaims = SessionClaims.merged(SessionClaims.usable(user.customAttributes), added)
    subject.sessionClaims = SessionClaims.usable(session.claims)
    subject.signInAttributes = session.signInAttributes.flatMap { try? ClaimValue(json: $0) }
    subject.generation = user.cutoff.generation
    if let id = session.secondFactor, let factor = user.factors.first(where: { $0.id == id }) {
      subject.secondFactor = (factor.kind.provider, id)
    }
    subject.isForEnrolment =
      subject.secondFactor == nil && !user.hasShownPasskey(in: session)
      && context.configuration.secondFactors.isRequired(of: user, after: session.signInProvider)
    return subject
  }

  private static func identityClaims(_ user: UserRecord) -> [ClaimValue.Member] {
    var texts: [(name: String, values: [ClaimValue])] = []
    if let email = user.email { texts.append(("email", [.string(email)])) }
    if let phone = user.phoneNumber { texts.append(("phone", [.string(phone)])) }
    for identity in user.identities {
      if let index = texts.firstIndex(where: { $0.name == identity.providerID }) {
        texts[index].values.append(.string(identity.rawID))
      } else {
        texts.append((identity.providerID, [.string(identity.rawID)]))
      }
    }
    return texts.map { ClaimValue.Member($0.name, .array($0.values)) }
  }
}

extension SecondFactor.Kind {
  /// The provider's id, as tokens show it.
  var provider: String {
    switch self {
    case .totp: "totp"
    case .phone: "phone"
    }
  }
}
