import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto
@testable import HearthIdentity

extension IdentityFixture {
  /// A user with an authenticator app.
  struct Authenticator {
    var uid: String
    var id: String
    var secret: [UInt8]
    /// The answer to the enrolment.
    var answer: Answer
    var recoveryCodes: [String] { answer.json["recoveryCodes"]?.array?.compactMap(\.string) ?? [] }
  }

  /// Returns a signed-in user with a verified address.
  func verified(_ email: String) async throws -> Answer {
    let answer = try await signUp(email)
    try await change(answer.localID) { $0.isEmailVerified = true }
    return answer
  }

  /// Returns the current code of an authenticator.
  func code(_ secret: [UInt8]) throws -> String {
    try #require(TOTP.code(secret: secret, step: TOTP.step(atSeconds: nowSeconds)))
  }

  func startAuthenticator(_ idToken: String) async throws -> Answer {
    try await post("/v2/accounts/mfaEnrollment:start", ["idToken": .string(idToken), "totpEnrollmentInfo": [:]])
  }

  /// Enrols an authenticator for the signed-in user.
  func enrol(_ idToken: String, uid: String, members: [JSON.Member] = []) async throws -> Authenticator {
    let start = try await startAuthenticator(idToken)
    let info = try #require(start.json["totpSessionInfo"], "\(start.text)")
    let secret = try #require(TOTP.secret(base32: info["sharedSecretKey"]?.string ?? ""))
    let proof: JSON = [
      "sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(try code(secret)),
    ]
    let own: [JSON.Member] = [.init("idToken", .string(idToken)), .init("totpVerificationInfo", proof)]
    let done = try await post("/v2/accounts/mfaEnrollment:finalize", .object(own + members))
    #expect(done.status == 200, "\(done.text)")
    let id = try #require(user(uid)?.factors.last?.id)
    return Authenticator(uid: uid, id: id, secret: secret, answer: done)
  }

  /// Completes a pending sign-in with a second factor's code, or with a recovery code.
  func finish(_ pending: JSON?, _ id: String, _ code: String) async throws -> Answer {
    try await post(
      "/v2/accounts/mfaSignIn:finalize",
      [
        "mfaPendingCredential": pending ?? .null, "mfaEnrollmentId": .string(id),
        "totpVerificationInfo": ["verificationCode": .string(code)],
      ])
  }
}
