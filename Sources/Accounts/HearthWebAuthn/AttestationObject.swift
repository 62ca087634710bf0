import CFido2

/// The result of creating a key: the authenticator data, and the attestation of the authenticator (WebAuthn §6.5).
struct AttestationObject: Sendable {
  let format: String
  let data: AuthenticatorData
  private let statement: CBORValue
  private let statementBytes: [UInt8]

  init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard bytes.count <= WebAuthnLimits.attestationObjectBytesMax else {
      throw WebAuthnError(
        .malformed, "attestationObject is longer than \(WebAuthnLimits.attestationObjectBytesMax) bytes.")
    }
    var reader = CBORReader(bytes)
    let members = try reader.textMap()
    let malformed = WebAuthnError(.malformed, "attestationObject must be an object with fmt, attStmt and authData.")
    guard reader.isAtEnd, members.count == 3,
      case .text(let format)? = members.first(where: { $0.name == "fmt" })?.value,
      let statement = members.first(where: { $0.name == "attStmt" }), case .map = statement.value,
      let data = members.first(where: { $0.name == "authData" })?.value.bytes
    else { throw malformed }
    self.format = format
    self.statement = statement.value
    statementBytes = statement.bytes
    self.data = try AuthenticatorData(data)
  }

  /// Verifies the attestation statement. The authenticator's maker need not be trusted: the statement only has to be
  /// valid.
  func checkStatement(clientDataHash: [UInt8], relyingPartyID: String, key: PublicKey) throws(WebAuthnError) {
    switch format {
    case "none":
      guard case .map(let members) = statement, members.isEmpty else {
        throw WebAuthnError(.attestation, "The attestation has the format none and a statement.")
      }
    case "packed", "tpm": try verify(clientDataHash, relyingPartyID, key, isSelf: statement["x5c"] == nil)
    // An authenticator from before FIDO2 signs in another form, and only with ES256.
    case "fido-u2f" where key.algorithm == .es256: try verify(clientDataHash, relyingPartyID, key, isSelf: false)
    default:
      throw WebAuthnError(
        .attestation, "The attestation format must be none, packed, tpm or fido-u2f. Request attestation \"none\"."
      )
    }
  }

  private func verify(
    _ clientDataHash: [UInt8], _ relyingPartyID: String, _ key: PublicKey, isSelf: Bool
  ) throws(WebAuthnError) {
    // A self-attestation uses the key's own algorithm.
    guard !isSelf || (format == "packed" && statement["alg"]?.int == key.algorithm.rawValue) else {
      throw WebAuthnError(.attestation, "The attestation's statement has no certificate, or another algorithm.")
    }
    let result = hearth_fido_verify_attestation(
      format, isSelf ? 1 : 0, Int32(key.algorithm.rawValue), relyingPartyID, clientDataHash, clientDataHash.count,
      data.bytes, data.bytes.count, statementBytes, statementBytes.count, data.extensionMask.ofNew,
      Int32(data.smallInteger("credProtect")), Int(data.smallInteger("minPinLength")))
    guard result == FIDO_OK else {
      throw WebAuthnError(.attestation, "The attestation's signature does not match this key and challenge.")
    }
  }
}
