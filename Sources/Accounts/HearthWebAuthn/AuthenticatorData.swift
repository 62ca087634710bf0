import CFido2
import HearthCrypto

/// The data that an authenticator signs (WebAuthn §6.1).
struct AuthenticatorData: Sendable {
  /// A newly created key.
  struct NewKey: Sendable {
    /// The AAGUID, the model of authenticator; zeros when it is withheld.
    var aaguid: [UInt8]
    var credentialID: [UInt8]
    /// The key's CBOR.
    var cose: [UInt8]
    var publicKey: PublicKey
  }

  let bytes: [UInt8]
  let relyingPartyHash: [UInt8]
  let signCount: UInt32
  let newKey: NewKey?
  let extensions: CBORValue
  private let flags: UInt8

  var isUserPresent: Bool { flags & 0x01 != 0 }
  var isUserVerified: Bool { flags & 0x04 != 0 }
  /// True when the key can be copied to other devices.
  var isBackupEligible: Bool { flags & 0x08 != 0 }
  /// True when the key is backed up.
  var isBackedUp: Bool { flags & 0x10 != 0 }

  init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard bytes.count <= WebAuthnLimits.authenticatorDataBytesMax else {
      throw WebAuthnError(
        .malformed, "authenticatorData is longer than \(WebAuthnLimits.authenticatorDataBytesMax) bytes.")
    }
    guard bytes.count >= 37 else { throw Self.malformed }
    self.bytes = bytes
    relyingPartyHash = Array(bytes[..<32])
    flags = bytes[32]
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var position = 37
    newKey = flags & 0x40 == 0 ? nil : try Self.newKey(in: bytes, at: &position)
    if flags & 0x80 == 0 {
      extensions = .map([])
    } else {
      var reader = CBORReader(bytes, at: position)
      extensions = try reader.value()
      guard case .map = extensions else { throw Self.malformed }
      position = reader.position
    }
    guard position == bytes.count else { throw Self.malformed }
  }

  private static let malformed = WebAuthnError(.malformed, "authenticatorData is malformed.")

  private static func newKey(in bytes: [UInt8], at position: inout Int) throws(WebAuthnError) -> NewKey {
    guard bytes.count >= position + 18 else { throw malformed }
    let aaguid = Array(bytes[position..<position + 16])
    let length = Int(bytes[position + 16]) << 8 | Int(bytes[position + 17])
    position += 18
    guard (1...WebAuthnLimits.credentialIDBytesMax).contains(length), bytes.count - position >= length else {
      throw malformed
    }
    let id = Array(bytes[position..<position + length])
    position += length
    var reader = CBORReader(bytes, at: position)
    let key = try PublicKey(try reader.value())
    let cose = Array(bytes[position..<reader.position])
    position = reader.position
    return NewKey(aaguid: aaguid, credentialID: id, cose: cose, publicKey: key)
  }

  /// Checks the parts that every ceremony requires.
  func check(relyingPartyID: String, requiresUserVerification: Bool) throws(WebAuthnError) {
    guard ConstantTime.equal(relyingPartyHash, Digest(sha256: relyingPartyID.utf8).bytes) else {
      throw WebAuthnError(.relyingParty, "The key belongs to another relying party than \(relyingPartyID).")
    }
    guard isUserPresent else {
      throw WebAuthnError(.userPresence, "User presence is missing: the key was not touched.")
    }
    guard isUserVerified || !requiresUserVerification else {
      throw WebAuthnError(
        .userVerification, "The authenticator did not verify the user, for example by a PIN, a fingerprint or a face.")
    }
    guard isBackupEligible || !isBackedUp else {
      throw WebAuthnError(.backup, "The key is marked as backed up and as not eligible for backup.")
    }
  }

  /// The extensions that the library compares, among those that it knows.
  var extensionMask: (ofNew: Int32, ofUse: Int32) {
    func isOn(_ name: String) -> Bool { if case .bool(true)? = extensions[name] { true } else { false } }
    func hasBytes(_ name: String) -> Bool { extensions[name]?.bytes != nil }
    var (ofNew, ofUse): (Int32, Int32) = (0, 0)
    for (name, mask) in [("hmac-secret", FIDO_EXT_HMAC_SECRET), ("credBlob", FIDO_EXT_CRED_BLOB)] {
      if isOn(name) { ofNew |= mask }
      if hasBytes(name) { ofUse |= mask }
    }
    return (ofNew, ofUse)
  }

  /// The small number of an extension; 0 when absent.
  func smallInteger(_ name: String) -> UInt8 { extensions[name]?.int.flatMap { UInt8(exactly: $0) } ?? 0 }
}
