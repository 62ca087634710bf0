import HearthCrypto
import HearthPlugin
import HearthTree

extension HookUser {
  /// Creates the hook's view of a record, without any secret that would allow a sign-in.
  ///
  /// - Parameter tenantID: the user's tenant; nil for the project itself.
  init(_ user: UserRecord, tenantID: String? = nil) {
    self.init(uid: user.uid, createdAtMilliseconds: user.createdAtMilliseconds)
    self.tenantID = tenantID
    email = user.email
    isEmailVerified = user.isEmailVerified
    displayName = user.displayName
    photoURL = user.photoURL
    phoneNumber = user.phoneNumber
    isDisabled = user.isDisabled
    lastSignInAtMilliseconds = user.lastSignInAtMilliseconds
    tokensValidAfterSeconds = user.validSinceSeconds
    if let email = user.email, user.password != nil || user.hasEmailLink {
      var identity = HookIdentity(providerID: ProviderID.password, rawID: email)
      identity.email = email
      identity.displayName = user.displayName
      identity.photoURL = user.photoURL
      identities.append(identity)
    }
    if let number = user.phoneNumber {
      var identity = HookIdentity(providerID: ProviderID.phone, rawID: number)
      identity.phoneNumber = number
      identities.append(identity)
    }
    identities += user.identities.map { HookIdentity($0) }
    factors = user.factors.map { HookFactor($0) }
    let claims = SessionClaims.usable(user.customAttributes)
    customClaims = claims.isEmpty ? nil : JSON(parsing: ClaimValue.object(claims).json.utf8)
  }
}

extension HookIdentity {
  fileprivate init(_ identity: ProviderIdentity) {
    self.init(providerID: identity.providerID, rawID: identity.rawID)
    email = identity.email
    displayName = identity.displayName
    photoURL = identity.photoURL
  }
}

extension HookFactor {
  fileprivate init(_ factor: SecondFactor) {
    self.init(id: factor.id, kind: factor.kind.provider, enrolledAtMilliseconds: factor.enrolledAtMilliseconds)
    displayName = factor.displayName
    if case .phone(let number) = factor.kind { phoneNumber = number }
  }
}
