import Foundation
import HearthBytes
import HearthTree

/// The server's options for a passkey ceremony, for the system's authenticator.
struct PasskeyOptions: Sendable {
  /// The maximum size of a challenge or a user handle; both have 64 bytes at most.
  private static let bytesMax = 1_024

  var challenge: Data
  var relyingPartyID: String
  /// The handle and the name of the user; nil for a sign-in.
  var user: (handle: Data, name: String)?

  /// The options in the response of `passkeySignIn:start`; nil when a member is missing.
  init?(signIn json: JSON) {
    guard let options = json["credentialRequestOptions"], let party = options["rpId"]?.string, !party.isEmpty,
      let challenge = Self.data(options["challenge"])
    else { return nil }
    (self.challenge, relyingPartyID) = (challenge, party)
  }

  /// The options in the response of `passkeyEnrollment:start`; nil when a member is missing.
  init?(enrollment json: JSON) {
    guard let options = json["credentialCreationOptions"], let party = options["rp"]?["id"]?.string, !party.isEmpty,
      let challenge = Self.data(options["challenge"]), let handle = Self.data(options["user"]?["id"])
    else { return nil }
    (self.challenge, relyingPartyID) = (challenge, party)
    user = (handle, options["user"]?["name"]?.string ?? "")
  }

  private static func data(_ json: JSON?) -> Data? {
    guard let text = json?.string, (1...bytesMax).contains(text.utf8.count) else { return nil }
    return Base64URL.decode(Array(text.utf8.prefix { $0 != UInt8(ascii: "=") })).map { Data($0) }
  }
}

/// The authenticator's result of a passkey ceremony.
struct PasskeyResult: Sendable {
  var credentialID: Data
  /// The members of the response in WebAuthn's names.
  var response: [(name: String, value: Data)]

  /// The form that the server reads.
  var json: JSON {
    let id = JSON.string(Base64URL.encode(Array(credentialID)))
    return [
      "id": id, "rawId": id, "type": "public-key",
      "response": .object(response.map { JSON.Member($0.name, .string(Base64URL.encode(Array($0.value)))) }),
    ]
  }
}

extension Auth {
  /// Requests the options for a sign-in with a passkey.
  func passkeySignInOptions() async throws -> PasskeyOptions {
    let answer = try await service.call("accounts/passkeySignIn:start", version: "v2", [])
    guard let options = PasskeyOptions(signIn: answer) else { throw PasskeyOptions.missing }
    return options
  }

  /// Signs in with a passkey that was used.
  func finalizePasskeySignIn(_ result: PasskeyResult) async throws -> AuthDataResult {
    let answer = try await service.call(
      "accounts/passkeySignIn:finalize", version: "v2", [("authenticatorAuthenticationResponse", result.json)])
    return try await signIn(answer, providerID: "passkey", isNew: false)
  }
}

extension User {
  /// The passkeys of the account, as of the last ``reload()``.
  public var enrolledPasskeys: [PasskeyInfo] { record.passkeys ?? [] }

  /// Removes a passkey from the account. A recent sign-in is required; other sessions of the user end.
  ///
  /// - Parameter credentialID: ``PasskeyInfo/credentialID``.
  public func unenrollPasskey(withCredentialID credentialID: String) async throws {
    try await change([("deletePasskey", .array([.string(credentialID)]))])
  }

  /// The completion-handler form of ``unenrollPasskey(withCredentialID:)``.
  public func unenrollPasskey(
    withCredentialID credentialID: String, completion: (@isolated(any) ((any Error)?) -> Void)? = nil
  ) {
    answer(completion) { try await self.unenrollPasskey(withCredentialID: credentialID) }
  }

  /// Requests the options for creating a passkey.
  func passkeyEnrollmentOptions() async throws -> PasskeyOptions {
    let answer = try await perform("accounts/passkeyEnrollment:start", version: "v2", [])
    guard let options = PasskeyOptions(enrollment: answer) else { throw PasskeyOptions.missing }
    return options
  }

  /// Adds a passkey that was created to the account.
  func finalizePasskeyEnrollment(_ result: PasskeyResult, name: String?) async throws -> AuthDataResult {
    let answer = try await perform(
      "accounts/passkeyEnrollment:finalize", version: "v2",
      [("name", name.map { .string($0) }), ("authenticatorRegistrationResponse", result.json)])
    try await reloadRecord()
    return try openAuth().result(self, answer: answer, credential: nil, providerID: "passkey", isNew: false)
  }
}

extension PasskeyOptions {
  static var missing: NSError { AuthErrorCode.internalError.error("The server's answer has no passkey options.") }
}
