/// The proof of a second factor. Its description omits the code.
///
/// It is `@unchecked Sendable` because it has subclasses; all of its properties and theirs are constants.
public class MultiFactorAssertion: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  /// The kind of the factor: `phone` or `totp`.
  public let factorID: String

  init(factorID: String) { self.factorID = factorID }

  public var description: String { "assertion of \(factorID)" }
  public var customMirror: Mirror { Mirror(self, children: ["factorID": factorID]) }
}

/// The proof of a phone.
public final class PhoneMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
  let credential: PhoneAuthCredential

  init(_ credential: PhoneAuthCredential) {
    self.credential = credential
    super.init(factorID: PhoneMultiFactorInfo.PhoneMultiFactorID)
  }
}

/// The proof of an authenticator app.
public final class TOTPMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
  enum Subject: Sendable {
    /// The secret of an enrolment.
    case secret(TOTPSecret)
    /// The identifier of an enrolled factor.
    case enrollment(String)
  }

  let subject: Subject
  let oneTimePassword: String

  init(_ subject: Subject, oneTimePassword: String) {
    self.subject = subject
    self.oneTimePassword = oneTimePassword
    super.init(factorID: PhoneMultiFactorInfo.TOTPMultiFactorID)
  }
}

/// Proofs of phones.
public enum PhoneMultiFactorGenerator {
  /// Returns the proof of a phone for an enrolment or a sign-in.
  public static func assertion(with phoneAuthCredential: PhoneAuthCredential) -> PhoneMultiFactorAssertion {
    PhoneMultiFactorAssertion(phoneAuthCredential)
  }
}

/// Secrets and proofs of authenticator apps.
public enum TOTPMultiFactorGenerator {
  /// Generates a secret on the server, for the authenticator app of the session's user.
  public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
    guard case .user(let user) = session.subject else {
      throw AuthErrorCode.invalidMultiFactorSession.error("A secret needs a session of User.multiFactor.session().")
    }
    let answer = try await user.perform(
      "accounts/mfaEnrollment:start", version: "v2", [("totpEnrollmentInfo", .object([]))])
    guard let secret = answer["totpSessionInfo"].flatMap({ TOTPSecret($0) }) else {
      throw AuthErrorCode.internalError.error("The server's answer has no secret.")
    }
    return secret
  }

  /// The completion-handler form of ``generateSecret(with:)``. The completion is called on the callback queue of the
  /// session's user, or on the main queue for a session without a user.
  public static func generateSecret(
    with session: MultiFactorSession, completion: @escaping @isolated(any) (TOTPSecret?, (any Error)?) -> Void
  ) {
    let user: User? = if case .user(let user) = session.subject { user } else { nil }
    (user?.auth ?? .auth()).answer(completion) { try await generateSecret(with: session) }
  }

  /// Returns the proof that enrols an authenticator app.
  public static func assertionForEnrollment(
    with secret: TOTPSecret, oneTimePassword: String
  ) -> TOTPMultiFactorAssertion {
    TOTPMultiFactorAssertion(.secret(secret), oneTimePassword: oneTimePassword)
  }

  /// Returns the proof of an enrolled authenticator app for a sign-in. A recovery code is accepted in the place of the
  /// password.
  public static func assertionForSignIn(
    withEnrollmentID enrollmentID: String, oneTimePassword: String
  ) -> TOTPMultiFactorAssertion {
    TOTPMultiFactorAssertion(.enrollment(enrollmentID), oneTimePassword: oneTimePassword)
  }
}
