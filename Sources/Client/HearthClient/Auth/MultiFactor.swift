import HearthTree

/// The second factors of a user.
public final class MultiFactor: Sendable {
  private let user: User

  init(_ user: User) { self.user = user }

  /// The enrolled factors, as of the last ``User/reload()``.
  public var enrolledFactors: [MultiFactorInfo] { (user.record.factors ?? []).map(\.info) }

  /// Returns a session for enrolling a factor.
  public func session() async throws -> MultiFactorSession { MultiFactorSession(.user(user)) }

  /// The completion-handler form of ``session()``.
  public func getSessionWithCompletion(_ completion: (@isolated(any) (MultiFactorSession?, (any Error)?) -> Void)?) {
    user.auth?.answer(completion) { try await self.session() }
  }

  /// Enrols a factor. The account's address must be verified; other sessions of the user end.
  ///
  /// - Parameter displayName: The user's name for the factor.
  public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws {
    let proof: (String, JSON?)
    switch assertion {
    case let phone as PhoneMultiFactorAssertion:
      proof = ("phoneVerificationInfo", try phone.credential.verificationInfo)
    case let totp as TOTPMultiFactorAssertion:
      guard case .secret(let secret) = totp.subject else {
        throw AuthErrorCode.missingMultiFactorInfo.error(
          "An enrolment needs an assertion of TOTPMultiFactorGenerator.assertionForEnrollment.")
      }
      proof = (
        "totpVerificationInfo",
        ["sessionInfo": .string(secret.sessionInfo), "verificationCode": .string(totp.oneTimePassword)]
      )
    default: throw AuthErrorCode.missingMultiFactorInfo.error()
    }
    _ = try await user.perform(
      "accounts/mfaEnrollment:finalize", version: "v2", [("displayName", displayName.map { .string($0) }), proof])
    try await user.reloadRecord()
  }

  /// The completion-handler form of ``enroll(with:displayName:)``.
  public func enroll(
    with assertion: MultiFactorAssertion, displayName: String?,
    completion: (@isolated(any) ((any Error)?) -> Void)?
  ) {
    user.answer(completion) { try await self.enroll(with: assertion, displayName: displayName) }
  }

  /// Removes a factor.
  public func unenroll(with factorInfo: MultiFactorInfo) async throws {
    try await unenroll(withFactorUID: factorInfo.uid)
  }

  /// Removes a factor.
  ///
  /// - Parameter factorUID: ``MultiFactorInfo/uid``.
  public func unenroll(withFactorUID factorUID: String) async throws {
    _ = try await user.perform(
      "accounts/mfaEnrollment:withdraw", version: "v2", [("mfaEnrollmentId", .string(factorUID))])
    try await user.reloadRecord()
  }

  /// The completion-handler form of ``unenroll(with:)``.
  public func unenroll(
    with factorInfo: MultiFactorInfo, completion: (@isolated(any) ((any Error)?) -> Void)?
  ) {
    user.answer(completion) { try await self.unenroll(with: factorInfo) }
  }

  /// The completion-handler form of ``unenroll(withFactorUID:)``.
  public func unenroll(withFactorUID factorUID: String, completion: (@isolated(any) ((any Error)?) -> Void)?) {
    user.answer(completion) { try await self.unenroll(withFactorUID: factorUID) }
  }
}

extension User {
  /// The second factors of the account.
  public var multiFactor: MultiFactor { MultiFactor(self) }
}
