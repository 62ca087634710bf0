import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Sends browsers to another provider's page and back, by OAuth's authorisation-code flow with PKCE, state and nonce.
///
/// A visit is the way of one browser to the provider's page and back. The server stores nothing meanwhile: the visit's data is
/// sealed in a cookie of the browser that began it. A returned code is accepted from that browser alone; the app gets it together
/// with another sealed text, without which it is worthless, and redeems it once.
///
/// An answer is accepted only for the provider that was asked: it must arrive at that provider's redirect URI, name no other
/// issuer, and name its issuer at all where the provider promises it (RFC 9207). Otherwise the code is not forwarded.
package struct ProviderPages: Sendable {
  let context: AccountsContext
  let providers: SignInProviders

  /// The time limit for the visit to the provider's page, and for the app to redeem its result.
  package static let visitSeconds: Int64 = 600
  private static let visitPurpose = "visit to a provider's page"
  private static let answerPurpose = "answer of a provider's page"

  /// The start of a visit to a provider's page.
  package struct AuthorizationRedirect: Sendable, Redacted {
    /// The URL for the browser.
    package let url: String
    /// The state that the provider returns; not secret.
    package let state: String
    /// The sealed visit, which the browser stores and shows when it comes back.
    package let visit: String
  }

  /// Begins a visit.
  ///
  /// - Parameters:
  ///   - origin: the origin of the page that the browser returns to.
  ///   - scopes: the scopes that the app requests beside those that the provider needs.
  ///   - parameters: further parameters of the app for the provider's page.
  ///   - memo: the data to keep until the browser comes back; only this server can read or change it.
  /// - Throws: the errors of ``SignInProviders/authorizationPage(of:_:)``; `invalidProviderResponse` for a provider
  ///   that has the shared redirect URI from an earlier version and does not promise to name its issuer.
  package func beginAuthorization(
    to providerID: String, origin: String, scopes: [String] = [], parameters: [(name: String, value: String)] = [],
    memo: String, now: Instant
  ) async throws(AccountError) -> AuthorizationRedirect {
    let kind = providers.redirectURIKind(of: providerID)
    let redirectURI = kind.address(of: providerID, tenantID: context.keys.tenant, origin: origin)
    let (url, visit) = try await begun(
      self.visit(providerID, redirectURI: redirectURI, rest: memo, now: now), scopes: scopes, parameters: parameters)
    guard kind != .sharedWithIssuer || visit.isIssuerRequired else {
      let own = RedirectURI.own(of: providerID, tenantID: context.keys.tenant, origin: origin)
      throw AccountError(
        .invalidProviderResponse,
        "\(providerID) does not declare that it names its issuer, so it cannot use the shared redirect URI. Register \(own) "
          + "at the provider and set usesSharedRedirectUri to false.")
    }
    return AuthorizationRedirect(url: url, state: visit.state, visit: try seal(visit, for: Self.visitPurpose))
  }

  /// Returns the address of a provider's page, for a client that opens it by itself.
  ///
  /// - Parameter redirectURI: the address that the provider redirects to; the caller has checked it.
  /// - Returns: the address, and the session that the client shows with the address that it came back to: see
  ///   ``redeem(requestURI:sessionID:client:now:)``.
  /// - Throws: the errors of ``beginAuthorization(to:origin:scopes:parameters:memo:now:)``; `invalidContinueURI` for a
  ///   provider that was configured while the server ran, does not promise to name its issuer, and is not named by the
  ///   address either.
  package func address(
    of providerID: String, redirectURI: String, now: Instant
  ) async throws(AccountError) -> (url: String, sessionID: String) {
    let (url, visit) = try await begun(self.visit(providerID, redirectURI: redirectURI, rest: "", now: now))
    guard
      visit.isIssuerRequired || providers.redirectURIKind(of: providerID) == .shared
        || RedirectURI.names(redirectURI, providerID, tenantID: context.keys.tenant)
    else {
      throw AccountError(
        .invalidContinueURI,
        "\(providerID) does not declare that it names its issuer: continueUri must end with /"
          + (context.keys.tenant.map { $0 + "/" } ?? "") + providerID + ".")
    }
    return (url, try seal(visit, for: Self.answerPurpose))
  }

  private func visit(
    _ providerID: String, redirectURI: String, rest: String, now: Instant
  ) throws(AccountError) -> Visit {
    Visit(
      providerID: providerID, redirectURI: redirectURI, state: try context.secrets.text(),
      verifier: try context.secrets.text(),
      nonce: try context.secrets.text(), expiresAtSeconds: now.wallMilliseconds / 1000 + Self.visitSeconds, rest: rest,
      tenantID: context.keys.tenant, fingerprint: providers.fingerprint(of: providerID))
  }

  /// Returns the address of the provider's page, and the visit with the requirements for its answer.
  private func begun(
    _ visit: Visit, scopes: [String] = [], parameters: [(name: String, value: String)] = []
  ) async throws(AccountError) -> (url: String, visit: Visit) {
    var request = AuthorizationRequest(
      state: visit.state, nonce: visit.nonce,
      codeChallenge: Base64URL.encode(Digest(sha256: visit.verifier.utf8).bytes), redirectURI: visit.redirectURI,
      scopes: scopes, parameters: parameters)
    request.nowSeconds = visit.expiresAtSeconds - Self.visitSeconds
    let page = try await providers.authorizationPage(of: visit.providerID, request)
    var visit = visit
    visit.issuers = page.issuers.map(SignInProviders.digest)
    visit.isIssuerRequired = page.namesIssuer
    return (page.url, visit)
  }

  /// The reason why a returning browser is refused.
  package enum CallbackError: Error, Sendable, Equatable {
    /// The browser did not begin this visit, the visit was begun elsewhere, or the answer came to another provider's
    /// address.
    case unknownVisit
    /// The visit took too long.
    case expired
    /// The answer names another issuer than the provider that was asked.
    case otherIssuer(OtherIssuer)
  }

  /// A visit that another provider's answer arrived for.
  package struct OtherIssuer: Sendable, Equatable, Redacted {
    /// The provider that was asked.
    package let providerID: String
    /// The tenant; `nil` for the project itself.
    package let tenantID: String?
    /// The memo of the visit.
    package let memo: String
    /// A sentence for the app's developer and the audit trail.
    package static let reason =
      "The response does not name the issuer of the requested provider, so its code was not used."
  }

  /// The browser's return from a provider's page.
  package struct Callback: Sendable, Redacted {
    /// The memo of the visit: see ``ProviderPages/beginAuthorization(to:origin:scopes:parameters:memo:now:)``.
    package let memo: String
    /// The redirect URI that the browser returned to.
    package let redirectURI: String
    /// The tenant that it is to sign in to; nil for the project itself.
    package var tenantID: String? { visit.tenantID }
    fileprivate let visit: Visit
  }

  /// Checks a browser that comes back: that it began this visit, and that the answer is from the provider that was
  /// asked.
  ///
  /// - Parameters:
  ///   - visit: the sealed visit from the browser's cookie.
  ///   - state: the state that the provider returned.
  ///   - issuer: the answer's `iss`; `nil` when it names none.
  ///   - address: the address that it came to, without the query.
  package func verifyCallback(
    _ visit: String, state: String, issuer: String?, at address: String, now: Instant
  ) throws(CallbackError) -> Callback {
    guard let visit = unseal(visit, for: Self.visitPurpose),
      Digest(sha256: visit.state.utf8) == Digest(sha256: state.utf8), RedirectURI.isSame(address, as: visit.redirectURI)
    else { throw .unknownVisit }
    guard now.wallMilliseconds / 1000 < visit.expiresAtSeconds else { throw .expired }
    guard visit.admits(issuer: issuer) else {
      throw .otherIssuer(
        OtherIssuer(providerID: visit.providerID, tenantID: visit.tenantID, memo: visit.rest))
    }
    return Callback(memo: visit.rest, redirectURI: visit.redirectURI, visit: visit)
  }

  /// The longest user data that a provider sends through the browser, in bytes; longer data is ignored.
  private static let userDataBytesMax = 1_024

  /// Returns the session that the app needs beside the code to redeem it.
  ///
  /// - Parameter userData: the user data that the provider sent through the browser, unsigned. Nil for none.
  package func sessionID(
    for callback: Callback, code: String, userData: String? = nil, now: Instant
  ) throws(AccountError) -> String {
    var answer = callback.visit
    answer.rest = Digest(sha256: code.utf8).hex
    answer.userData = userData.flatMap { $0.isEmpty || $0.utf8.count > Self.userDataBytesMax ? nil : $0 }
    answer.expiresAtSeconds = now.wallMilliseconds / 1000 + Self.visitSeconds
    return try seal(answer, for: Self.answerPurpose)
  }

  /// Redeems, once, the code in the address to which a provider sent a browser back.
  ///
  /// - Parameters:
  ///   - requestURI: that address, with `code` and `state`.
  ///   - sessionID: the result of ``sessionID(for:code:now:)``.
  /// - Returns: the provider, and the parts of its credential, not yet verified.
  /// - Throws: `invalidProviderResponse` for an address and a session that do not match, are too old or were used
  ///   before, for an answer of another issuer, and when the provider's configuration has changed since; the errors of
  ///   ``SignInProviders/credential(of:_:fingerprint:client:now:)``.
  package func redeem(
    requestURI: String, sessionID: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (providerID: String, parameters: [String: String]) {
    let nowSeconds = now.wallMilliseconds / 1000
    guard let answer = unseal(sessionID, for: Self.answerPurpose) else {
      throw AccountError(.invalidProviderResponse, "The sessionId was not issued by this server's sign-in page.")
    }
    guard nowSeconds < answer.expiresAtSeconds else {
      throw AccountError(.invalidProviderResponse, "The sign-in took too long. Start again.")
    }
    guard answer.tenantID == context.keys.tenant else { throw AccountError(.tenantMismatch) }
    let query = requestURI.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    guard let pairs = PercentEncoding.pairs(query.utf8), let code = Self.only("code", pairs),
      let state = Self.only("state", pairs), Digest(sha256: state.utf8) == Digest(sha256: answer.state.utf8),
      answer.rest.isEmpty || Digest(sha256: code.utf8).hex == answer.rest,
      RedirectURI.isSame(requestURI, as: answer.redirectURI)
    else {
      throw AccountError(.invalidProviderResponse, "The requestUri does not belong to the sessionId.")
    }
    // This server's page checked the issuer when the browser arrived there.
    if answer.rest.isEmpty {
      let named = pairs.filter { $0.name == "iss" }
      guard named.count <= 1, answer.admits(issuer: named.first?.value) else {
        throw AccountError(.invalidProviderResponse, OtherIssuer.reason)
      }
    }
    try await markRedeemed(answer.state, nowSeconds: nowSeconds)
    var parameters = try await providers.credential(
      of: answer.providerID,
      AuthorizationCode(
        code: code, codeVerifier: answer.verifier, redirectURI: answer.redirectURI, nowSeconds: nowSeconds),
      fingerprint: answer.fingerprint, client: client, now: now)
    parameters["nonce"] = answer.nonce
    parameters["user"] = answer.userData
    return (answer.providerID, parameters)
  }

  /// Marks a code as redeemed; of concurrent requests one succeeds.
  private func markRedeemed(_ state: String, nowSeconds: Int64) async throws(AccountError) {
    let mark = Digest(sha256: ("redeemed " + state).utf8)
    let ticket = Ticket(
      purpose: .redeemedCode, uid: nil, email: nil, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.redeemedCode.lifetimeSeconds)
    try await context.store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard transaction.ticket(mark) == nil else {
        throw AccountError(.invalidProviderResponse, "This sign-in was used before. Start again.")
      }
      transaction.putTicket(mark, ticket)
    }
  }

  private static func only(_ name: String, _ pairs: [(name: String, value: String)]) -> String? {
    let found = pairs.filter { $0.name == name }
    return found.count == 1 && !found[0].value.isEmpty ? found[0].value : nil
  }

  // MARK: Sealing

  fileprivate struct Visit: Sendable {
    var providerID: String
    var redirectURI: String
    var state: String
    var verifier: String
    var nonce: String
    var expiresAtSeconds: Int64
    /// The memo until the browser comes back, then the digest of the returned code; empty for a client that opens the page itself.
    var rest: String
    /// The tenant; nil for the project itself.
    var tenantID: String?
    /// The user data from the browser, unsigned.
    var userData: String?
    /// The digest of the provider's configuration when the visit began.
    var fingerprint: String
    /// Digests of the issuers that the answer may name.
    var issuers: [String] = []
    /// True when the answer must name its issuer.
    var isIssuerRequired = false

    /// Returns true when an answer with that `iss` may be the provider's: RFC 9207 §2.4.
    func admits(issuer: String?) -> Bool {
      guard let issuer else { return !isIssuerRequired }
      return issuers.contains(SignInProviders.digest(issuer))
    }
  }

  private func seal(_ visit: Visit, for purpose: String) throws(AccountError) -> String {
    var members: [JSON.Member] = [
      .init("p", .string(visit.providerID)), .init("u", .string(visit.redirectURI)), .init("s", .string(visit.state)),
      .init("v", .string(visit.verifier)), .init("n", .string(visit.nonce)), .init("e", .int(visit.expiresAtSeconds)),
      .init("r", .string(visit.rest)), .init("f", .string(visit.fingerprint)),
      .init("i", .array(visit.issuers.map { .string($0) })), .init("q", .bool(visit.isIssuerRequired)),
    ]
    if let tenantID = visit.tenantID { members.append(.init("t", .string(tenantID))) }
    if let userData = visit.userData { members.append(.init("w", .string(userData))) }
    do {
      return try context.keys.seal(JSON.object(members).text(), for: purpose)
    } catch {
      throw AccountError(.unavailable)
    }
  }

  private func unseal(_ text: String, for purpose: String) -> Visit? {
    guard text.utf8.count <= 16_384, let bytes = context.keys.unseal(text, for: purpose),
      let json = JSON(parsing: bytes),
      let providerID = json["p"]?.string, let redirectURI = json["u"]?.string, let state = json["s"]?.string,
      let verifier = json["v"]?.string, let nonce = json["n"]?.string, let end = json["e"]?.int,
      let rest = json["r"]?.string, let fingerprint = json["f"]?.string, let issuers = json["i"]?.array,
      let isIssuerRequired = json["q"]?.bool
    else { return nil }
    return Visit(
      providerID: providerID, redirectURI: redirectURI, state: state, verifier: verifier, nonce: nonce,
      expiresAtSeconds: end, rest: rest, tenantID: json["t"]?.string, userData: json["w"]?.string,
      fingerprint: fingerprint, issuers: issuers.compactMap(\.string), isIssuerRequired: isIssuerRequired)
  }
}
