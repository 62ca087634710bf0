import HearthTree

/// A sign-in that waits for its second factor, from the `userInfo` of ``AuthErrorCode/secondFactorRequired``.
public final class MultiFactorResolver: Sendable, CustomReflectable {
  /// The session of the sign-in.
  public let session: MultiFactorSession
  /// The factors of the account; one of them is to be proven.
  public let hints: [MultiFactorInfo]
  /// The authentication that the user signs in to.
  public let auth: Auth
  /// The server's text for the sign-in.
  private let pending: String
  private let signIn: PendingSignIn

  /// The data of the first factor, for the result of the sign-in.
  struct PendingSignIn: Sendable {
    var answer: JSON
    var credential: AuthCredential?
    /// The user that reauthenticates; nil for a sign-in.
    var user: User?
  }

  /// A resolver for the response of a first factor; nil when it requires no second factor.
  init?(_ signIn: PendingSignIn, auth: Auth) {
    guard let pending = signIn.answer["mfaPendingCredential"]?.string, !pending.isEmpty,
      pending.utf8.count <= IdentityService.tokenBytesMax
    else { return nil }
    self.pending = pending
    self.signIn = signIn
    self.auth = auth
    session = MultiFactorSession(.pendingSignIn(pending))
    hints = StoredFactor.all(in: signIn.answer).map(\.info)
  }

  /// Completes the sign-in with a second factor.
  @discardableResult public func resolveSignIn(with assertion: MultiFactorAssertion) async throws -> AuthDataResult {
    let proof: [(String, JSON?)]
    switch assertion {
    case let phone as PhoneMultiFactorAssertion:
      proof = [("phoneVerificationInfo", try phone.credential.verificationInfo)]
    case let totp as TOTPMultiFactorAssertion:
      guard case .enrollment(let id) = totp.subject else {
        throw AuthErrorCode.missingMultiFactorInfo.error(
          "A sign-in needs an assertion of TOTPMultiFactorGenerator.assertionForSignIn.")
      }
      proof = [
        ("mfaEnrollmentId", .string(id)),
        ("totpVerificationInfo", ["verificationCode": .string(totp.oneTimePassword)]),
      ]
    default: throw AuthErrorCode.missingMultiFactorInfo.error()
    }
    let service = signIn.user.map { auth.service(of: $0) } ?? auth.service
    let answer = try await service.call(
      "accounts/mfaSignIn:finalize", version: "v2", [("mfaPendingCredential", .string(pending))] + proof)
    guard let tokens = service.tokens(of: answer) else { throw IdentityService.noTokens }
    try await signIn.user?.reauthenticate(with: tokens, from: service)
    let user = if let user = signIn.user { user } else { try await auth.adopt(tokens, from: service) }
    return auth.result(user, answer: signIn.answer, credential: signIn.credential)
  }

  /// The completion-handler form of ``resolveSignIn(with:)``.
  public func resolveSignIn(
    with assertion: MultiFactorAssertion, completion: (@isolated(any) (AuthDataResult?, (any Error)?) -> Void)? = nil
  ) {
    auth.answer(completion) { try await self.resolveSignIn(with: assertion) }
  }

  public var customMirror: Mirror { Mirror(self, children: ["hints": hints]) }
}
