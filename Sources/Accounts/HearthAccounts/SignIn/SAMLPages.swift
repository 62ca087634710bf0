import HearthBytes
import HearthCrypto
import HearthEngine
import HearthPlugin
import HearthSAML
import HearthTree

/// Sends browsers to the page of a company's identity provider and back, by SAML's web browser profile.
///
/// As with ``ProviderPages`` the server stores nothing meanwhile: the visit's data is sealed in a cookie of the browser
/// that began it. The answer is checked when that browser brings it; the app gets a sealed text that stands for the
/// user, and never the answer itself.
package struct SAMLPages: Sendable {
  let context: AccountsContext
  let providers: SignInProviders

  private static let visitPurpose = "visit to an identity provider's page"
  private static let userPurpose = "person of an identity provider"
  /// The longest sealed user data, in bytes.
  private static let userBytesMax = 32_768

  /// Returns true for the id of a SAML provider.
  package static func serves(_ providerID: String) -> Bool {
    providerID.utf8.starts(with: ProviderConfiguration.samlPrefix.utf8)
  }

  /// Begins a visit.
  ///
  /// - Parameters:
  ///   - consumerURL: the address to which the browser brings the identity provider's answer.
  ///   - memo: the data to keep until the browser comes back.
  ///   - forcesAuthentication: the user must authenticate although they have a session there.
  /// - Throws: `operationNotAllowed` for a provider that does not exist or is switched off.
  package func beginAuthorization(
    to providerID: String, consumerURL: String, memo: String, forcesAuthentication: Bool, now: Instant
  ) throws(AccountError) -> ProviderPages.AuthorizationRedirect {
    let saml = try configuration(providerID).1
    let nowSeconds = now.wallMilliseconds / 1000
    let visit = Visit(
      providerID: providerID, tenantID: context.keys.tenant, consumerURL: consumerURL,
      state: try context.secrets.text(),
      requestID: "_" + (try context.secrets.text()), expiresAtSeconds: nowSeconds + ProviderPages.visitSeconds,
      memo: memo)
    var request = AuthnRequest(
      id: visit.requestID, serviceProviderID: saml.serviceProviderID, consumerURL: consumerURL,
      destination: saml.signOnURL, issuedAtSeconds: nowSeconds)
    request.forcesAuthentication = forcesAuthentication
    return ProviderPages.AuthorizationRedirect(
      url: try url(of: request, state: visit.state, isSigned: saml.signsRequests), state: visit.state,
      visit: try seal(visit.json, for: Self.visitPurpose))
  }

  private func url(of request: AuthnRequest, state: String, isSigned: Bool) throws(AccountError) -> String {
    guard isSigned else { return request.redirectURL(relayState: state, sign: nil as ((String) -> [UInt8])?) }
    do {
      return try request.redirectURL(relayState: state) { (query) throws(TokenMintError) in
        try context.keys.signature(ofSAMLQuery: query)
      }
    } catch {
      throw AccountError(.unavailable)
    }
  }

  /// Returns the metadata to register at the identity provider.
  ///
  /// - Parameter consumerURLs: the addresses that answers may go to.
  /// - Throws: `configurationNotFound`
  package func metadata(of providerID: String, consumerURLs: [String]) throws(AccountError) -> String {
    guard let saml = context.store.view.providerConfiguration(providerID)?.saml else {
      throw AccountError(.configurationNotFound)
    }
    return ServiceProviderMetadata.text(
      id: saml.serviceProviderID, consumerURLs: consumerURLs,
      certificates: saml.signsRequests ? context.keys.certificates(.idToken).map(\.pem) : [])
  }

  /// A visit whose browser came back.
  package struct Visit: Sendable, Redacted {
    /// The provider's id, `saml.…`.
    package let providerID: String
    /// The tenant; nil for the project itself.
    package let tenantID: String?
    /// The consumer URL that the browser came back to.
    package let consumerURL: String
    let state: String
    let requestID: String
    let expiresAtSeconds: Int64
    /// The memo given to ``SAMLPages/beginAuthorization(to:consumerURL:memo:forcesAuthentication:now:)``.
    package let memo: String
  }

  /// Checks that a returning browser began this visit.
  ///
  /// - Parameters:
  ///   - text: the sealed visit from the browser's cookie.
  ///   - state: the `RelayState` that the identity provider returned.
  package func visit(
    _ text: String, state: String, now: Instant
  ) throws(ProviderPages.CallbackError) -> Visit {
    guard let json = unseal(text, for: Self.visitPurpose, sizeBytesMax: 16_384), let visit = Visit(json),
      Digest(sha256: visit.state.utf8) == Digest(sha256: state.utf8)
    else { throw .unknownVisit }
    guard now.wallMilliseconds / 1000 < visit.expiresAtSeconds else { throw .expired }
    return visit
  }

  /// The result of an answer.
  package enum Outcome: Sendable, Redacted {
    /// The session that the app redeems.
    case authenticated(sessionID: String)
    /// The identity provider refused the user, or the user cancelled; a sentence.
    case denied(String)
  }

  /// Checks an identity provider's answer. Of concurrent requests with the same answer one succeeds.
  ///
  /// - Parameter response: the form's `SAMLResponse`.
  /// - Throws: `invalidProviderResponse` with the reason; `operationNotAllowed`, `tenantMismatch`, `tooManyAttempts`.
  package func answer(
    _ visit: Visit, response: String, client: ClientInfo, now: Instant
  ) async throws(AccountError) -> Outcome {
    guard visit.tenantID == context.keys.tenant else { throw AccountError(.tenantMismatch) }
    let (configuration, saml) = try configuration(visit.providerID)
    try providers.requireAdmitted(client, now: now)
    let (user, assertionID): (SAMLUser, String)
    do throws(SAMLRefusal) {
      (user, assertionID) = try Self.user(
        in: response, visit, configuration, saml, nowSeconds: now.wallMilliseconds / 1000)
    } catch {
      await providers.noteRefused(by: visit.providerID, error.reason, client: client, now: now)
      guard !error.isDenial else { return .denied(error.reason) }
      throw AccountError(.invalidProviderResponse, error.reason)
    }
    try await mark("assertion \(visit.providerID) \(assertionID)", now: now)
    return .authenticated(sessionID: try seal(user.json(of: visit, now: now), for: Self.userPurpose))
  }

  private static func user(
    in response: String, _ visit: Visit, _ configuration: ProviderConfiguration, _ saml: ProviderConfiguration.SAML,
    nowSeconds: Int64
  ) throws(SAMLRefusal) -> (SAMLUser, String) {
    let letters = response.utf8.filter { !" \t\r\n".utf8.contains($0) }
    // Base64 needs four letters for three bytes.
    guard letters.count <= SAMLLimits.responseBytesMax / 3 * 4 + 4, let bytes = Base64.decodeLenient(letters) else {
      throw SAMLRefusal("The response is not Base64, or has more than \(SAMLLimits.responseBytesMax) bytes.")
    }
    var verifier = SAMLResponseVerifier(
      identityProviderID: saml.identityProviderID, certificates: saml.certificates,
      serviceProviderID: saml.serviceProviderID, consumerURL: visit.consumerURL, requestID: visit.requestID)
    verifier.allowsSHA1 = saml.allowsSHA1
    verifier.skewSeconds = saml.skewSeconds ?? SAMLLimits.skewSecondsDefault
    let assertion = try verifier.verifiedAssertion(in: bytes, nowSeconds: nowSeconds)
    return (try SAMLUser(assertion, by: configuration), assertion.id)
  }

  /// Redeems, once, the result of ``answer(_:response:client:now:)``.
  ///
  /// - Parameter requestURI: the address of the page that the app got, with its `state`.
  /// - Returns: nil for a text that this server did not make.
  /// - Throws: `invalidProviderResponse` for one that is too old, was used before, or does not belong to the address.
  package func redeem(
    requestURI: String, sessionID: String, now: Instant
  ) async throws(AccountError) -> FederatedIdentity? {
    guard let json = unseal(sessionID, for: Self.userPurpose, sizeBytesMax: Self.userBytesMax),
      let (user, visit) = SAMLUser.read(json)
    else { return nil }
    guard now.wallMilliseconds / 1000 < visit.expiresAtSeconds else {
      throw AccountError(.invalidProviderResponse, "The sign-in took too long. Start again.")
    }
    let query = requestURI.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
    let states = PercentEncoding.pairs(query.utf8)?.filter { $0.name == "state" } ?? []
    guard states.count == 1, Digest(sha256: states[0].value.utf8) == Digest(sha256: visit.state.utf8) else {
      throw AccountError(.invalidProviderResponse, "The requestUri does not belong to the sessionId.")
    }
    guard visit.tenantID == context.keys.tenant else { throw AccountError(.tenantMismatch) }
    _ = try configuration(visit.providerID)
    try await mark("redeemed \(visit.state)", now: now)
    return user.identity
  }

  /// The address that a browser came back to, for the app.
  package static func address(of visit: Visit) -> String {
    visit.consumerURL + "?state=" + PercentEncoding.encode(visit.state)
  }

  /// Marks a text as used, for longer than it is valid.
  private func mark(_ text: String, now: Instant) async throws(AccountError) {
    let mark = Digest(sha256: text.utf8)
    let nowSeconds = now.wallMilliseconds / 1000
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

  private func configuration(
    _ id: String
  ) throws(AccountError) -> (ProviderConfiguration, ProviderConfiguration.SAML) {
    guard let configuration = providers.configured.enabled(id), let saml = configuration.saml else {
      throw AccountError(.operationNotAllowed, "The identity provider configuration is not found.")
    }
    return (configuration, saml)
  }

  private func seal(_ json: JSON, for purpose: String) throws(AccountError) -> String {
    do {
      return try context.keys.seal(json.text(), for: purpose)
    } catch {
      throw AccountError(.unavailable)
    }
  }

  private func unseal(_ text: String, for purpose: String, sizeBytesMax: Int) -> JSON? {
    guard text.utf8.count <= sizeBytesMax, let bytes = context.keys.unseal(text, for: purpose) else { return nil }
    return JSON(parsing: bytes)
  }
}

extension SAMLPages.Visit {
  var json: JSON {
    var members = [
      JSON.Member("p", .string(providerID)), .init("u", .string(consumerURL)), .init("s", .string(state)),
      .init("q", .string(requestID)), .init("e", .int(expiresAtSeconds)), .init("r", .string(memo)),
    ]
    if let tenantID { members.append(.init("t", .string(tenantID))) }
    return .object(members)
  }

  init?(_ json: JSON?) {
    guard let json, let providerID = json["p"]?.string, let consumerURL = json["u"]?.string,
      let state = json["s"]?.string, let requestID = json["q"]?.string, let end = json["e"]?.int,
      let memo = json["r"]?.string
    else { return nil }
    self.init(
      providerID: providerID, tenantID: json["t"]?.string, consumerURL: consumerURL, state: state, requestID: requestID,
      expiresAtSeconds: end, memo: memo)
  }

  /// Returns the visit with a new expiry.
  func renewed(_ now: Instant) -> SAMLPages.Visit {
    SAMLPages.Visit(
      providerID: providerID, tenantID: tenantID, consumerURL: consumerURL, state: state, requestID: requestID,
      expiresAtSeconds: now.wallMilliseconds / 1000 + ProviderPages.visitSeconds, memo: "")
  }
}
