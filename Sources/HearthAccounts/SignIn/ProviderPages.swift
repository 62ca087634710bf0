import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthTree

/// Takes people to another provider's page and back, by OAuth's authorisation-code flow with PKCE, state and nonce.
///
/// Nothing is kept here while somebody is at the provider: what belongs to the visit is sealed, and the browser that began
/// it holds it in a cookie. A code that comes back counts in that browser alone; the app gets it together with another
/// sealed text, without which it is worth nothing, and redeems it once.
package struct ProviderPages: Sendable {
  private let providers: SignInProviders
  private let store: AccountStore
  private let keys: KeyRing
  private let secrets: SecretGenerator

  init(providers: SignInProviders, store: AccountStore, keys: KeyRing, secrets: SecretGenerator) {
    self.providers = providers
    self.store = store
    self.keys = keys
    self.secrets = secrets
  }

  /// How long people may take on the provider's page, and apps to redeem what came of it.
  package static let visitSeconds: Int64 = 600
  private static let visitPurpose = "visit to a provider's page"
  private static let answerPurpose = "answer of a provider's page"

  /// Somebody on their way to a provider's page.
  package struct Departure: Sendable, Redacted {
    /// Where the browser goes.
    package let url: String
    /// Comes back from there; not secret.
    package let state: String
    /// For the browser to keep, and to show when it comes back.
    package let visit: String
  }

  /// Begins a visit.
  ///
  /// - Parameters:
  ///   - redirectURI: where the provider sends the browser back to.
  ///   - scopes: what the app asks for beside what the provider needs.
  ///   - parameters: what else the app tells the provider's page.
  ///   - memo: what is to be known when the browser comes back; only who is shown the visit can tell, and nobody change it.
  /// - Throws: what ``SignInProviders/authorizationURL(of:_:)`` throws.
  package func depart(
    to providerID: String, redirectURI: String, scopes: [String] = [], parameters: [(name: String, value: String)] = [],
    memo: String, now: Instant
  ) async throws(AccountError) -> Departure {
    let visit = try visit(providerID, redirectURI: redirectURI, rest: memo, now: now)
    let url = try await url(of: visit, scopes: scopes, parameters: parameters)
    return Departure(url: url, state: visit.state, visit: try seal(visit, for: Self.visitPurpose))
  }

  /// The address of a provider's page, for a client that opens it by itself.
  ///
  /// - Parameter redirectURI: where the provider sends the client back to; checked by who calls.
  /// - Returns: the address, and what the client shows beside the one that it came back to: see
  ///   ``redeem(requestURI:sessionID:client:now:)``.
  package func address(
    of providerID: String, redirectURI: String, now: Instant
  ) async throws(AccountError) -> (url: String, sessionID: String) {
    let visit = try visit(providerID, redirectURI: redirectURI, rest: "", now: now)
    return (try await url(of: visit), try seal(visit, for: Self.answerPurpose))
  }

  private func visit(
    _ providerID: String, redirectURI: String, rest: String, now: Instant
  ) throws(AccountError) -> Visit {
    Visit(
      providerID: providerID, redirectURI: redirectURI, state: try secrets.text(), verifier: try secrets.text(),
      nonce: try secrets.text(), expiresAtSeconds: now.wallMilliseconds / 1000 + Self.visitSeconds, rest: rest,
      tenantID: keys.tenant)
  }

  private func url(
    of visit: Visit, scopes: [String] = [], parameters: [(name: String, value: String)] = []
  ) async throws(AccountError) -> String {
    try await providers.authorizationURL(
      of: visit.providerID,
      AuthorizationRequest(
        state: visit.state, nonce: visit.nonce,
        codeChallenge: Base64URL.encode(Digest(sha256: visit.verifier.utf8).bytes), redirectURI: visit.redirectURI,
        scopes: scopes, parameters: parameters))
  }

  /// Why a browser that comes back is not let on.
  package enum ArrivalError: Error, Sendable {
    /// It did not begin this visit, or the visit was begun elsewhere.
    case unknownVisit
    /// It took too long.
    case expired
  }

  /// Somebody who came back from a provider's page.
  package struct Arrival: Sendable, Redacted {
    /// What ``ProviderPages/depart(to:redirectURI:scopes:parameters:memo:now:)`` was told.
    package let memo: String
    /// What the browser was sent back to.
    package let redirectURI: String
    /// The tenant that it is to sign in to; nil for the project itself.
    package var tenantID: String? { visit.tenantID }
    fileprivate let visit: Visit
  }

  /// Looks at a browser that comes back: whether it began this visit.
  ///
  /// - Parameters:
  ///   - visit: what the browser kept.
  ///   - state: what came with it from the provider.
  package func arrive(_ visit: String, state: String, now: Instant) throws(ArrivalError) -> Arrival {
    guard let visit = unseal(visit, for: Self.visitPurpose),
      Digest(sha256: visit.state.utf8) == Digest(sha256: state.utf8)
    else { throw .unknownVisit }
    guard now.wallMilliseconds / 1000 < visit.expiresAtSeconds else { throw .expired }
    return Arrival(memo: visit.rest, redirectURI: visit.redirectURI, visit: visit)
  }

  /// What a provider tells of a person in the browser alone, in bytes; what is longer is left out.
  private static let personBytesMax = 1_024

  /// What the app needs beside the code to redeem it.
  ///
  /// - Parameter person: what the provider had the browser say about the person; nobody has signed it. Nil for nothing.
  package func sessionID(
    for arrival: Arrival, code: String, person: String? = nil, now: Instant
  ) throws(AccountError) -> String {
    var answer = arrival.visit
    answer.rest = Digest(sha256: code.utf8).hex
    answer.person = person.flatMap { $0.isEmpty || $0.utf8.count > Self.personBytesMax ? nil : $0 }
    answer.expiresAtSeconds = now.wallMilliseconds / 1000 + Self.visitSeconds
    return try seal(answer, for: Self.answerPurpose)
  }

  /// Redeems, once, the code in the address to which a provider sent a browser back.
  ///
  /// - Parameters:
  ///   - requestURI: that address, with `code` and `state`.
  ///   - sessionID: what ``sessionID(for:code:now:)`` gave.
  /// - Returns: the provider, and the parts of its credential, which nobody has looked at.
  /// - Throws: `invalidProviderResponse` for an address and a session that do not fit, that are too old or were shown
  ///   before; what ``SignInProviders/credential(of:_:client:now:)`` throws.
  package func redeem(
    requestURI: String, sessionID: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> (providerID: String, parameters: [String: String]) {
    let nowSeconds = now.wallMilliseconds / 1000
    guard let answer = unseal(sessionID, for: Self.answerPurpose) else {
      throw AccountError(.invalidProviderResponse, "The sessionId is none of this server's sign-in page.")
    }
    guard nowSeconds < answer.expiresAtSeconds else {
      throw AccountError(.invalidProviderResponse, "The sign-in took too long. Begin it again.")
    }
    guard answer.tenantID == keys.tenant else { throw AccountError(.tenantMismatch) }
    let query = requestURI.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    guard let pairs = PercentEncoding.pairs(query.utf8), let code = Self.only("code", pairs),
      let state = Self.only("state", pairs), Digest(sha256: state.utf8) == Digest(sha256: answer.state.utf8),
      answer.rest.isEmpty || Digest(sha256: code.utf8).hex == answer.rest
    else {
      throw AccountError(.invalidProviderResponse, "The requestUri is not the one that the sessionId belongs to.")
    }
    try await markRedeemed(answer.state, nowSeconds: nowSeconds)
    var parameters = try await providers.credential(
      of: answer.providerID,
      AuthorizationCode(
        code: code, codeVerifier: answer.verifier, redirectURI: answer.redirectURI, nowSeconds: nowSeconds),
      client: client, now: now)
    parameters["nonce"] = answer.nonce
    parameters["user"] = answer.person
    return (answer.providerID, parameters)
  }

  /// Of many who show the same code one goes on.
  private func markRedeemed(_ state: String, nowSeconds: Int64) async throws(AccountError) {
    let mark = Digest(sha256: ("redeemed " + state).utf8)
    let ticket = Ticket(
      purpose: .redeemedCode, uid: nil, email: nil, createdAtSeconds: nowSeconds,
      expiresAtSeconds: nowSeconds + Ticket.Purpose.redeemedCode.lifetimeSeconds)
    try await store.transact { (transaction: inout AccountTransaction) throws(AccountError) in
      guard transaction.ticket(mark) == nil else {
        throw AccountError(.invalidProviderResponse, "This sign-in was used before. Begin it again.")
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
    /// On the way there the memo, on the way back the digest of the code; empty for a client that comes back by itself.
    var rest: String
    /// Nil for the project itself.
    var tenantID: String?
    /// The person's own words about themselves.
    var person: String?
  }

  private func seal(_ visit: Visit, for purpose: String) throws(AccountError) -> String {
    var members: [JSON.Member] = [
      .init("p", .string(visit.providerID)), .init("u", .string(visit.redirectURI)), .init("s", .string(visit.state)),
      .init("v", .string(visit.verifier)), .init("n", .string(visit.nonce)), .init("e", .int(visit.expiresAtSeconds)),
      .init("r", .string(visit.rest)),
    ]
    if let tenantID = visit.tenantID { members.append(.init("t", .string(tenantID))) }
    if let person = visit.person { members.append(.init("w", .string(person))) }
    do {
      return try keys.seal(JSON.object(members).text(), for: purpose)
    } catch {
      throw AccountError(.unavailable)
    }
  }

  private func unseal(_ text: String, for purpose: String) -> Visit? {
    guard text.utf8.count <= 16_384, let bytes = keys.unseal(text, for: purpose), let json = JSON(parsing: bytes),
      let providerID = json["p"]?.string, let redirectURI = json["u"]?.string, let state = json["s"]?.string,
      let verifier = json["v"]?.string, let nonce = json["n"]?.string, let end = json["e"]?.int,
      let rest = json["r"]?.string
    else { return nil }
    return Visit(
      providerID: providerID, redirectURI: redirectURI, state: state, verifier: verifier, nonce: nonce,
      expiresAtSeconds: end, rest: rest, tenantID: json["t"]?.string, person: json["w"]?.string)
  }
}
