import HearthCrypto
import HearthEngine

/// A phone as the second step of signing in.
extension SecondFactors {
  /// Sends a code to a phone for a sign-in whose first factor was right, also where phones can no longer be enrolled.
  ///
  /// - Parameters:
  ///   - pending: the text that stands for the first factor.
  ///   - enrolment: the phone's id.
  /// - Returns: the session text of the code.
  /// - Throws: the errors of ``pending(_:isTry:now:)``; `secondFactorNotFound`; `invalidArgument` for another kind of
  ///   factor; the errors of ``PhoneCodes/send(_:_:)``.
  package func start(
    pending text: String, enrolment: String, _ request: PhoneRequest
  ) async throws(AccountError) -> String {
    let pending = try await pending(text, isTry: false, now: request.now)
    guard let factor = pending.user.factors.first(where: { $0.id == enrolment }) else {
      throw AccountError(.secondFactorNotFound)
    }
    guard let number = factor.kind.number else { throw AccountError(.invalidArgument, "MFA provider not supported!") }
    let codeRequest = PhoneCodes.CodeRequest(
      purpose: .phoneSecondFactor, number: number, user: pending.user, pending: (pending.hash, factor.id))
    return try await phones.codes.send(codeRequest, request)
  }

  /// Completes a sign-in with a phone's code. Attempts are counted for the sign-in, however many codes are sent for it.
  ///
  /// - Throws: the errors of ``pending(_:isTry:now:)``; `invalidSessionInfo` for a code of another sign-in or purpose;
  ///   `sessionExpired`, `invalidCode`, `secondFactorNotFound`.
  package func finish(
    pending text: String, phone sessionInfo: String, code: String, _ request: PhoneRequest
  ) async throws(AccountError) -> SignInResult {
    let now = request.now
    let pending = try await pending(text, now: now)
    if let hash = try recovery.hash(ofShown: code, pending.user.uid) {
      return try await finish(pending, enrolment: nil, recoveryCode: hash, client: request.client, now: now)
    }
    let hash = Digest(sha256: sessionInfo.utf8)
    guard let ticket = context.store.view.ticket(hash), ticket.purpose == .phoneSecondFactor,
      ticket.uid == pending.user.uid,
      ticket.phoneDetails?["pending"]?.string == pending.hash.hex, let id = ticket.phoneDetails?["factor"]?.string
    else { throw AccountError(.invalidSessionInfo) }
    guard !ticket.isExpired(nowSeconds: now.wallMilliseconds / 1_000) else { throw AccountError(.sessionExpired) }
    guard phones.codes.isRight(code, sessionInfo, for: ticket) else { throw await refused(pending, request.client) }
    return try await complete(pending, showing: id, client: request.client, now: now) {
      (transaction, user) throws(AccountError) in
      guard transaction.ticket(hash)?.purpose == .phoneSecondFactor else { throw AccountError(.invalidSessionInfo) }
      guard let number = ticket.phoneNumber, user.factors.contains(where: { $0.id == id && $0.kind == .phone(number) })
      else { throw AccountError(.secondFactorNotFound) }
      transaction.removeTicket(hash)
    }
  }
}
