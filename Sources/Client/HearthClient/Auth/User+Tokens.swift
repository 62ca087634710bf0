import Foundation
import HearthTree

extension User {
  /// Returns the ID token, for the database and for the app's own servers. A token that expires soon is refreshed.
  ///
  /// - Throws: ``AuthErrorCode/networkError`` when no token is available now; ``AuthErrorCode/userTokenExpired`` and
  ///   the like when the session is over, which also signs the user out.
  public func getIDToken() async throws -> String { try await getIDToken(forcingRefresh: false) }

  /// Returns the ID token, refreshed on request.
  public func getIDToken(forcingRefresh forceRefresh: Bool) async throws -> String {
    try await freshTokens(forcing: forceRefresh).idToken
  }

  /// Returns the ID token, like ``getIDToken(forcingRefresh:)``, under an older name.
  public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
    try await getIDToken(forcingRefresh: forceRefresh)
  }

  /// Returns the ID token with its claims.
  public func getIDTokenResult(forcingRefresh forceRefresh: Bool = false) async throws -> AuthTokenResult {
    try AuthTokenResult(try await getIDToken(forcingRefresh: forceRefresh))
  }

  /// Returns tokens that do not expire soon. Of concurrent callers one fetches, and the others get the same tokens.
  func freshTokens(forcing: Bool) async throws -> UserTokens {
    let auth = try openAuth()
    let now = auth.clock.now
    let (tokens, generation) = (tokens, generation)
    if !forcing, tokens.isFresh(at: now) { return tokens }
    return try await gate.run { try await self.refreshInTurn(since: generation) }
  }

  /// Returns a fresh ID token; called by work that runs in ``gate``.
  func tokenInTurn() async throws -> String {
    let tokens = tokens
    if tokens.isFresh(at: try openAuth().clock.now) { return tokens.idToken }
    return try await refreshInTurn(since: generation).idToken
  }

  /// - Parameter generation: The value of ``generation`` that the caller has read. When tokens have changed since, they
  ///   are returned without another request.
  private func refreshInTurn(since generation: Int) async throws -> UserTokens {
    let auth = try openAuth()
    if self.generation != generation { return tokens }
    let fetched = try await endingSession { try await auth.service.refresh(self.tokens.refreshToken) }
    try take(fetched)
    auth.userChanged(self)
    return fetched
  }

  /// Stores new tokens, which must be this user's.
  func take(_ tokens: UserTokens) throws {
    if let subject = IDTokenPayload(tokens.idToken)?.userID, subject != uid {
      throw AuthErrorCode.internalError.error("The server's tokens are another account's.")
    }
    set(tokens)
  }

  /// Runs work, and signs the user out when the server reports that the session is over.
  func endingSession<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch {
      if let code = AuthErrorCode(error), code.endsSession { auth?.signOut(onlyIf: self) }
      throw error
    }
  }

  func openAuth() throws -> Auth {
    guard let auth else { throw AuthErrorCode.internalError.error("The app that the user belongs to is gone.") }
    return auth
  }

  /// Performs a request as the user, after earlier ones; tokens in the response become the user's.
  func perform(_ operation: String, version: String = "v1", _ fields: [(String, JSON?)]) async throws -> JSON {
    let auth = try openAuth()
    return try await gate.run {
      try await self.endingSession {
        let token = try await self.tokenInTurn()
        let service = auth.service(of: self)
        let answer = try await service.call(operation, version: version, [("idToken", .string(token))] + fields)
        if let tokens = service.tokens(of: answer) {
          try self.take(tokens)
          auth.userChanged(self)
        }
        return answer
      }
    }
  }

  /// Reloads the account's record.
  func reloadRecord() async throws {
    let auth = try openAuth()
    try await gate.run {
      try await self.endingSession {
        let record = try await auth.service(of: self).lookup(try await self.tokenInTurn())
        guard record.uid == self.uid else { throw AuthErrorCode.userMismatch.error() }
        self.update { $0 = record }
      }
    }
    auth.userChanged(self)
  }
}
