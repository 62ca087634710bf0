import HearthAccounts
import HearthPlugin
import HearthTree

/// Passkeys: creating one, and signing in with it. Responses have the form that `PublicKeyCredential` in browsers parses, and its
/// JSON is accepted; Firebase's SDKs have other names for some members, which are accepted as well.
struct PasskeyEndpoints: EndpointGroup {
  let accounts: Accounts

  /// `passkeyEnrollment:start`: returns the options for creating a key.
  func startEnrolment(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let start = try accounts.signIn.passkeyEnrolment.start(try call.caller(in: accounts), now: call.now)
    let party = start.relyingParty
    let name = start.user.email ?? start.user.phoneNumber ?? start.user.displayName ?? start.user.uid
    return .object([
      JSON.Member(
        "credentialCreationOptions",
        .object([
          JSON.Member("rp", Self.object(["id": party.id, "name": party.name])),
          JSON.Member(
            "user",
            Self.object(["id": start.userHandle, "name": name, "displayName": start.user.displayName ?? name])),
          JSON.Member("challenge", .string(start.challenge)),
          JSON.Member(
            "pubKeyCredParams",
            .array(
              party.algorithms.map { .object([.init("type", .string("public-key")), .init("alg", .int($0))]) })),
          JSON.Member("timeout", .int(start.timeoutSeconds * 1_000)),
          JSON.Member("excludeCredentials", .array(start.user.passkeys.map { Self.descriptor($0) })),
          JSON.Member(
            "authenticatorSelection",
            .object([
              .init("residentKey", .string("required")), .init("requireResidentKey", .bool(true)),
              .init("userVerification", .string(Self.userVerification(party))),
            ])),
          JSON.Member("attestation", .string("none")),
        ]))
    ])
  }

  /// `passkeyEnrollment:finalize`: stores the created key.
  func finishEnrolment(_ call: IdentityCall) async throws(AccountError) -> JSON {
    guard call.value("idToken") != nil else { throw AccountError(.missingIDToken) }
    let sent = try sent(call, "authenticatorRegistrationResponse", inner: "authenticatorAttestationResponse")
    let caller = try call.caller(in: accounts)
    let name = try name(call)
    let (user, tokens): (UserRecord, TokenTriple)
    if let response = sent.response {
      (user, tokens) = try await accounts.signIn.passkeyEnrolment.finish(
        caller,
        PasskeyEnrolment.CreatedKey(
          id: sent.id, name: name, transports: try Self.transports(response),
          clientDataJSON: try Self.binary("clientDataJSON", of: response),
          attestationObject: try Self.binary("attestationObject", of: response)),
        client: call.client, now: call.now)
    } else {
      (user, tokens) = try await accounts.signIn.passkeyEnrolment.finishEmulated(
        caller, id: sent.id, name: name, client: call.client, now: call.now)
    }
    var reply = ReplyObject()
    reply.set("localId", user.uid)
    reply.set(tokens)
    return reply.json
  }

  /// `passkeySignIn:start`: returns the options for requesting a key.
  func startSignIn(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let start = try accounts.signIn.passkeys.start(now: call.now)
    return .object([
      JSON.Member(
        "credentialRequestOptions",
        .object([
          JSON.Member("challenge", .string(start.challenge)), JSON.Member("rpId", .string(start.relyingParty.id)),
          JSON.Member("userVerification", .string(Self.userVerification(start.relyingParty))),
          JSON.Member("timeout", .int(start.timeoutSeconds * 1_000)), JSON.Member("allowCredentials", .array([])),
        ]))
    ])
  }

  /// `passkeySignIn:finalize`: signs in with the key that was used.
  func finishSignIn(_ call: IdentityCall) async throws(AccountError) -> JSON {
    let outer =
      call.value("authenticatorAssertionResponse") == nil
      ? "authenticatorAuthenticationResponse" : "authenticatorAssertionResponse"
    let sent = try sent(call, outer, inner: "authenticatorAssertionResponse")
    let step: SecondFactors.Step
    if let response = sent.response {
      step = try await accounts.signIn.passkeys.finish(
        PasskeySignIn.KeyAssertion(
          id: sent.id, userHandle: try response.text("userHandle").map { BinaryText.urlForm($0) },
          clientDataJSON: try Self.binary("clientDataJSON", of: response),
          authenticatorData: try Self.binary("authenticatorData", of: response),
          signature: try Self.binary("signature", of: response)),
        client: call.client, now: call.now)
    } else {
      step = try await accounts.signIn.passkeys.finishEmulated(id: sent.id, client: call.client, now: call.now)
    }
    var reply = ReplyObject()
    reply.set("localId", step.user.uid)
    reply.set(step)
    return reply.json
  }

  /// `accounts:signInWithIdp` with the provider `passkey`: the web SDK, which does not support passkeys, uses it to
  /// keep the session that a passkey begins, and the account that it is added to. The ID token is the browser's JSON of
  /// the key, with its name in `name`.
  ///
  /// - Returns: nil for another provider.
  func signInWithCredential(_ call: IdentityCall) async throws(AccountError) -> JSON? {
    let form = try call.text("postBody", sizeBytesMax: IdentityCall.longTextBytesMax) ?? ""
    guard let pairs = PercentEncoding.pairs(form.utf8),
      pairs.first(where: { $0.name == "providerId" })?.value == ProviderID.passkey
    else { return nil }
    guard let text = pairs.first(where: { $0.name == "id_token" })?.value,
      let key = JSON(parsing: text.utf8), key.members != nil
    else {
      throw AccountError(
        .missingAuthenticatorResponse, "The id_token of the provider passkey must be the JSON of a key.")
    }
    var members = [JSON.Member("name", key["name"] ?? .null)]
    let answer: JSON
    if let token = call.value("idToken") {
      members += [.init("idToken", token), .init("authenticatorRegistrationResponse", key)]
      answer = try await finishEnrolment(call.with(.object(members)))
    } else {
      members.append(.init("authenticatorAuthenticationResponse", key))
      answer = try await finishSignIn(call.with(.object(members)))
    }
    var reply = ReplyObject(kind: "VerifyAssertion")
    reply.set("providerId", ProviderID.passkey)
    reply.set("isNewUser", false)
    return .object(reply.members + (answer.members ?? []))
  }

  // MARK: Reading

  /// Returns a key's id and the authenticator's response; nil for one that an emulator's test suite only named.
  private func sent(
    _ call: IdentityCall, _ outer: String, inner: String
  ) throws(AccountError) -> (id: String, response: IdentityCall?) {
    guard let credential = try call.object(outer) else { throw AccountError(.missingAuthenticatorResponse) }
    let part = call.with(credential)
    var id = ""
    for member in ["credentialId", "rawId", "id"] { id = try part.text(member) ?? id }
    guard !id.isEmpty else { throw AccountError(.invalidCredentialID) }
    var response = try part.object("response")
    if response == nil { response = try part.object(inner) }
    guard let response else {
      guard accounts.emulator(isFromLoopback: call.isFromLoopback) != nil else {
        throw AccountError(.invalidAuthenticatorResponse, "\(outer).response is missing.")
      }
      return (BinaryText.urlForm(id), nil)
    }
    return (BinaryText.urlForm(id), call.with(response))
  }

  /// The user's name for the key.
  private func name(_ call: IdentityCall) throws(AccountError) -> String {
    for member in ["name", "displayName"] {
      guard let text = try call.text(member, sizeBytesMax: Passkey.nameBytesMax), !text.isEmpty else { continue }
      return text
    }
    return Passkey.nameDefault
  }

  private static func binary(_ name: String, of response: IdentityCall) throws(AccountError) -> [UInt8] {
    guard let text = try response.text(name, sizeBytesMax: IdentityCall.longTextBytesMax), !text.isEmpty else {
      throw AccountError(.invalidAuthenticatorResponse, "\(name) is missing.")
    }
    guard let bytes = BinaryText.bytes(text) else {
      throw AccountError(.invalidAuthenticatorResponse, "\(name) is not base64url.")
    }
    return bytes
  }

  /// Returns the transports that the browser reported, for later requests; nothing depends on them.
  private static func transports(_ response: IdentityCall) throws(AccountError) -> [String] {
    (try response.texts("transports") ?? []).prefix(8).filter { text in
      (1...32).contains(text.utf8.count)
        && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }
  }

  // MARK: Answering

  private static func userVerification(_ party: PasskeyRelyingParty) -> String {
    party.requiresUserVerification ? "required" : "preferred"
  }

  private static func descriptor(_ key: Passkey) -> JSON {
    var descriptor = ReplyObject()
    descriptor.set("type", "public-key")
    descriptor.set("id", key.id)
    descriptor.set("transports", list: key.transports.map { .string($0) })
    return descriptor.json
  }

  private static func object(_ members: KeyValuePairs<String, String>) -> JSON {
    .object(members.map { JSON.Member($0.key, .string($0.value)) })
  }
}
