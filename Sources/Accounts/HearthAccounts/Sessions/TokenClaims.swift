import HearthCrypto
import HearthPlugin
import HearthTree

/// Asks plugins for additional claims of an ID token. Without such plugins it costs nothing.
struct TokenClaims: Sendable {
  let context: AccountsContext

  /// Returns the plugins' claims for the next token of a session. Called before anything is stored.
  ///
  /// - Throws: ``AccountError/undecided(_:)`` with the plugin's name when one fails, or returns invalid claims.
  func added(
    to user: UserRecord, in session: SessionRecord, _ occasion: ClaimsRequest.Occasion, client: ClientInfo
  ) async throws(AccountError) -> [ClaimValue.Member] {
    let sources = context.plugins.claimsSources
    guard !sources.isEmpty else { return [] }
    let (own, ofSession) = (SessionClaims.usable(user.customAttributes), SessionClaims.usable(session.claims))
    var added: [ClaimValue.Member] = []
    func together() -> [ClaimValue.Member] {
      SessionClaims.merged(SessionClaims.merged(own, added), ofSession)
    }
    for source in sources {
      let request = ClaimsRequest(
        id: client.requestID, occasion: occasion, user: HookUser(user, tenantID: context.tenantID),
        signInProvider: session.signInProvider,
        secondFactor: user.factors.first { $0.id == session.secondFactor }?.kind.provider,
        claims: JSON(parsing: ClaimValue.object(together()).json.utf8) ?? .object([]), clientAddress: client.address)
      let answered = try await answer(of: source, request)
      added = SessionClaims.merged(added, answered)
      // An error that the token would have without the plugin is not the plugin's fault.
      guard answered.isEmpty || (try? IDTokenClaims.check(custom: together())) != nil else {
        throw failure(of: source, "returned more claims than a token can hold")
      }
    }
    return added
  }

  private func answer(
    of source: any ClaimsSource, _ request: ClaimsRequest
  ) async throws(AccountError) -> [ClaimValue.Member] {
    let answer = await Deadline.run(milliseconds: ActivePlugins.timeoutMilliseconds) {
      try await source.claims(for: request)
    }
    guard let answer else { throw failure(of: source, "failed or did not answer in time") }
    do throws(AccountError) {
      return try SessionClaims.read(answer.claims)
    } catch {
      throw failure(of: source, "returned invalid claims (\(error.code.rawValue))")
    }
  }

  private func failure(of source: any ClaimsSource, _ what: String) -> AccountError {
    context.notice(AccountsNotice(.warning, "\(source.name), called for claims, \(what); no token is issued"))
    return .undecided("\(source.name) could not provide the claims of the token.")
  }
}
