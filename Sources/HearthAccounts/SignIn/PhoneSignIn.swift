import HearthCrypto
import HearthEngine

/// What a client shows for a phone number.
package enum PhoneProof: Sendable {
  /// A code that was "sent", and the text that stands for its sending.
  case code(sessionInfo: String, code: String)
  /// The proof from an earlier code, for a number that belongs to another account.
  case earlier(phoneNumber: String, text: String)
}

/// What a proven phone number leads to.
package enum PhoneOutcome: Sendable {
  /// The user is in.
  case signedIn(SignedIn)
  /// The number is somebody else's: the client may sign in to that account with this text.
  case taken(proof: String)
}

/// Signing in with a phone number. No message is ever sent from here, so that only an emulator serves it, which shows the
/// codes to test suites.
package struct PhoneSignIn: Sendable {
  private let store: AccountStore
  private let secrets: SecretGenerator
  private let sessions: Sessions
  private let signUp: SignUp
  private let emulation: Emulation

  init(store: AccountStore, secrets: SecretGenerator, sessions: Sessions, signUp: SignUp, emulation: Emulation) {
    self.store = store
    self.secrets = secrets
    self.sessions = sessions
    self.signUp = signUp
    self.emulation = emulation
  }

  /// Makes a code for a number.
  ///
  /// - Parameter number: E.164.
  /// - Returns: the text that stands for the code.
  package func sendCode(to number: String) throws(AccountError) -> String {
    try PhoneNumber.check(number)
    if let owner = store.view.user(phone: number) { try Self.requirePhoneAsFirst(owner) }
    let sessionInfo = try secrets.text()
    let code = try secrets.draw { (random) throws(RandomnessError) in
      try random.bytes(6).map { String($0 % 10) }.joined()
    }
    emulation.phoneCodes { $0.add(PhoneCodes.Code(phoneNumber: number, sessionInfo: sessionInfo, code: code)) }
    return sessionInfo
  }

  /// The number that is proven.
  ///
  /// - Throws: `invalidTemporaryProof`, `invalidSessionInfo`, `invalidCode`.
  package func provenNumber(_ proof: PhoneProof) throws(AccountError) -> String {
    switch proof {
    case .earlier(let number, let text):
      guard emulation.phoneCodes({ $0.proves(number, text) }) else { throw AccountError(.invalidTemporaryProof) }
      return number
    case .code(let sessionInfo, let code):
      return try emulation.phoneCodes { codes in
        Result { () throws(AccountError) in try codes.take(sessionInfo, code: code) }
      }.get()
    }
  }

  /// Signs a user in with a number that they have proven, or adds the number to the signed-in user.
  ///
  /// - Parameters:
  ///   - number: from ``provenNumber(_:)``.
  ///   - caller: who is signed in.
  ///   - isEarlierProof: whether the proof is one from before: a second one is not given.
  package func signIn(
    number: String, isEarlierProof: Bool, caller: Caller?, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> PhoneOutcome {
    let owner = store.view.user(phone: number)
    guard let caller else {
      let proven = try phoneUser(number, owner, client: client, now: now)
      return .signedIn(try await sessions.start(of: proven, client: client, now: now))
    }
    if let owner, !owner.uid.isSameText(as: caller.user.uid) {
      guard !isEarlierProof else { throw AccountError(.phoneNumberExists) }
      let proof = PhoneCodes.Proof(phoneNumber: number, text: try secrets.text())
      emulation.phoneCodes { $0.add(proof) }
      return .taken(proof: proof.text)
    }
    let user = try await link(phone: number, to: caller, client: client)
    let tokens = try await sessions.resume(caller, as: ProviderID.phone, client: client, now: now)
    return .signedIn(SignedIn(user: user, tokens: tokens, isNew: false))
  }

  private func phoneUser(
    _ number: String, _ owner: UserRecord?, client: ClientInfo, now: Instant
  ) throws(AccountError) -> ProvenUser {
    let way = SignInWay(ProviderID.phone)
    if let owner {
      guard !owner.isDisabled else { throw AccountError(.userDisabled) }
      try Self.requirePhoneAsFirst(owner)
      return ProvenUser(owner, way)
    }
    try signUp.requireAllowed()
    var user = try signUp.newUser(now: now)
    user.phoneNumber = number
    return signUp.newcomer(user, way, client: client)
  }

  private func link(
    phone number: String, to caller: Caller, client: ClientInfo
  ) async throws(AccountError) -> UserRecord {
    try Self.requirePhoneAsFirst(caller.user)
    return try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) -> UserRecord in
      guard var user = transaction.user(caller.user.uid) else { throw AccountError(.userNotFound) }
      try caller.check(against: user)
      user.phoneNumber = number
      try transaction.update(user)
      transaction.audit(
        AuditEvent(.providerLinked, uid: user.uid, email: user.email, client: client, detail: ProviderID.phone))
      return user
    }
  }

  /// A number cannot be the first factor of who has a phone for the second.
  private static func requirePhoneAsFirst(_ user: UserRecord) throws(AccountError) {
    let hasPhoneFactor = user.factors.contains { if case .phone = $0.kind { true } else { false } }
    guard !hasPhoneFactor else {
      throw AccountError(.unsupportedFirstFactor, "The account has a phone for its second factor already.")
    }
  }
}
