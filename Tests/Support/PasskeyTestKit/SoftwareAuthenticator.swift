import COpenSSL
import HearthBytes
import HearthCrypto

/// A software authenticator with its browser: it makes keys and signs with them, with any content that the test sets.
public final class SoftwareAuthenticator {
  public enum Algorithm: Int64, Sendable, CaseIterable {
    case es256 = -7
    case edDSA = -8
    case rs256 = -257
  }

  public enum Attestation: Sendable, CaseIterable {
    /// An attestation without a statement.
    case none
    /// A statement signed by the new key itself.
    case packedSelf
    /// A statement signed by the key of a certificate.
    case packedCertificate
    /// A statement in the U2F format, of authenticators before FIDO2.
    case u2f
  }

  /// The content of a response apart from the challenge. Members that are nil are left out.
  public struct Overrides: Sendable {
    public var type: String?
    public var challenge: String?
    public var origin: String? = "https://app.example.com"
    /// Additional members of the client data: `,"crossOrigin":true`.
    public var further = #","crossOrigin":false"#
    public var relyingPartyID = "example.com"
    /// The flags UP, UV, BE and BS; AT and ED are set automatically.
    public var flags: UInt8 = 0x05
    /// The signature counter; nil for the key's own, which continues.
    public var signCount: UInt32?
    /// The extensions in CBOR.
    public var extensions: [UInt8] = []
    /// Additional bytes after the authenticator data.
    public var trailing: [UInt8] = []
    public init() {}
  }

  public let algorithm: Algorithm
  public let credentialID: [UInt8]
  /// The user handle given at registration.
  public var userHandle = ""
  public var signCount: UInt32 = 0
  private let key: OpaquePointer

  public init(_ algorithm: Algorithm = .es256, credentialID: [UInt8] = Array(1...32)) {
    self.algorithm = algorithm
    self.credentialID = credentialID
    let made =
      switch algorithm {
      case .es256: hearth_p256_generate()
      case .edDSA: Self.newEdwards()
      case .rs256: hearth_rsa_generate(2_048)
      }
    guard let made else { fatalError("OpenSSL makes no key") }
    key = made
  }

  deinit { EVP_PKEY_free(key) }

  public var id: String { Base64URL.encode(credentialID) }

  // MARK: Registration

  public struct RegistrationResponse: Sendable {
    public var clientDataJSON: [UInt8]
    public var attestationObject: [UInt8]

    public init(clientDataJSON: [UInt8], attestationObject: [UInt8]) {
      self.clientDataJSON = clientDataJSON
      self.attestationObject = attestationObject
    }
  }

  public func make(
    challenge: [UInt8], _ attestation: Attestation = .none, overrides: Overrides = Overrides(),
    signature: ([UInt8]) -> [UInt8] = { $0 }
  ) -> RegistrationResponse {
    let client = clientData("webauthn.create", challenge, overrides)
    let data = authenticatorData(overrides, newKey: true)
    let hash = Digest(sha256: client).bytes
    let statement: [UInt8]
    switch attestation {
    case .none: statement = [0xA0]
    case .packedSelf:
      statement = Self.map([("alg", Self.int(algorithm.rawValue)), ("sig", Self.bytes(signature(sign(data + hash))))])
    case .packedCertificate:
      let (signed, certificate) = Self.certified(data + hash)
      statement = Self.map([
        ("alg", Self.int(-7)), ("sig", Self.bytes(signature(signed))), ("x5c", [0x81] + Self.bytes(certificate)),
      ])
    case .u2f:
      var text: [UInt8] = [0]
      text += Digest(sha256: overrides.relyingPartyID.utf8).bytes
      text += hash
      text += credentialID
      text.append(4)
      text += point
      let (signed, certificate) = Self.certified(text)
      statement = Self.map([("sig", Self.bytes(signature(signed))), ("x5c", [0x81] + Self.bytes(certificate))])
    }
    let format =
      switch attestation {
      case .none: "none"
      case .packedSelf, .packedCertificate: "packed"
      case .u2f: "fido-u2f"
      }
    return RegistrationResponse(
      clientDataJSON: client,
      attestationObject: Self.object(format: format, statement: statement, data: data))
  }

  public static func object(format: String, statement: [UInt8], data: [UInt8]) -> [UInt8] {
    map([("fmt", text(format)), ("attStmt", statement), ("authData", bytes(data))])
  }

  // MARK: Assertion

  public struct AssertionResponse: Sendable {
    public var clientDataJSON: [UInt8]
    public var authenticatorData: [UInt8]
    public var signature: [UInt8]
  }

  public func use(challenge: [UInt8], overrides: Overrides = Overrides()) -> AssertionResponse {
    let client = clientData("webauthn.get", challenge, overrides)
    let data = authenticatorData(overrides, newKey: false)
    return AssertionResponse(
      clientDataJSON: client, authenticatorData: data, signature: sign(data + Digest(sha256: client).bytes))
  }

  // MARK: Response content

  public func clientData(_ type: String, _ challenge: [UInt8], _ overrides: Overrides) -> [UInt8] {
    let origin = overrides.origin.map { #","origin":"\#($0)""# } ?? ""
    let shown = overrides.challenge ?? Base64URL.encode(challenge)
    return Array(
      #"{"type":"\#(overrides.type ?? type)","challenge":"\#(shown)"\#(origin)\#(overrides.further)}"#.utf8)
  }

  public func authenticatorData(_ overrides: Overrides, newKey: Bool) -> [UInt8] {
    var data = Digest(sha256: overrides.relyingPartyID.utf8).bytes
    data.append(overrides.flags | (newKey ? 0x40 : 0) | (overrides.extensions.isEmpty ? 0 : 0x80))
    let count = overrides.signCount ?? signCount
    for shift: UInt32 in [24, 16, 8, 0] { data.append(UInt8(truncatingIfNeeded: count >> shift)) }
    if newKey {
      data += [UInt8](repeating: 0, count: 16)
      data += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 255)]
      data += credentialID
      data += cose
    }
    return data + overrides.extensions + overrides.trailing
  }

  /// The public key in COSE format.
  public var cose: [UInt8] {
    var cose: [UInt8]
    switch algorithm {
    case .es256:
      cose = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]
      cose += Self.bytes(point.prefix(32))
      cose.append(0x22)
      cose += Self.bytes(point.suffix(32))
    case .edDSA:
      cose = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21]
      cose += Self.bytes(raw)
    case .rs256:
      cose = [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20]
      cose += Self.bytes(number("n", 256))
      cose.append(0x21)
      cose += Self.bytes(number("e", 3))
    }
    return cose
  }

  /// The coordinates x and y.
  private var point: [UInt8] {
    var (out, length) = ([UInt8](repeating: 0, count: 65), 0)
    EVP_PKEY_get_octet_string_param(key, "pub", &out, out.count, &length)
    return Array(out.dropFirst())
  }

  private var raw: [UInt8] {
    var (out, length) = ([UInt8](repeating: 0, count: 32), 32)
    EVP_PKEY_get_raw_public_key(key, &out, &length)
    return out
  }

  private func number(_ name: String, _ count: Int) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: count)
    let written = hearth_key_number(key, name, &out, count)
    return Array(out.prefix(written))
  }

  // MARK: Signing

  public func sign(_ text: [UInt8]) -> [UInt8] { Self.sign(text, with: key, isEdwards: algorithm == .edDSA) }

  private static func sign(_ text: [UInt8], with key: OpaquePointer, isEdwards: Bool = false) -> [UInt8] {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var length = 0
    EVP_DigestSignInit(context, nil, isEdwards ? nil : EVP_sha256(), nil, key)
    EVP_DigestSign(context, nil, &length, text, text.count)
    var out = [UInt8](repeating: 0, count: length)
    EVP_DigestSign(context, &out, &length, text, text.count)
    return Array(out.prefix(length))
  }

  /// Returns a signature and the certificate of the key that made it.
  private static func certified(_ text: [UInt8]) -> (signature: [UInt8], certificate: [UInt8]) {
    guard let key = hearth_p256_generate(),
      let pem = hearth_self_signed_certificate(key, "Authenticator", [1], 1, 1_700_000_000)
    else { fatalError("OpenSSL makes no certificate") }
    defer {
      EVP_PKEY_free(key)
      BIO_free(pem)
    }
    var start: UnsafeMutablePointer<CChar>?
    let length = hearth_bio_bytes(pem, &start)
    let certificate = hearth_certificate_from_pem(start, length)
    defer { X509_free(certificate) }
    var out: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &out)
    defer { CRYPTO_free(out, "", 0) }
    return (sign(text, with: key), Array(UnsafeMutableBufferPointer(start: out, count: Int(count))))
  }

  private static func newEdwards() -> OpaquePointer? {
    let context = EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &key) == 1 else { return nil }
    return key
  }

  // MARK: CBOR

  public static func head(_ major: UInt8, _ number: Int) -> [UInt8] {
    let kind = major << 5
    switch number {
    case ..<24: return [kind | UInt8(number)]
    case ..<256: return [kind | 24, UInt8(number)]
    default: return [kind | 25, UInt8(number >> 8), UInt8(number & 255)]
    }
  }

  public static func bytes(_ bytes: some Collection<UInt8>) -> [UInt8] { head(2, bytes.count) + bytes }
  public static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }
  public static func int(_ number: Int64) -> [UInt8] {
    number < 0 ? head(1, Int(-1 - number)) : head(0, Int(number))
  }
  public static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
    head(5, members.count) + members.flatMap { text($0.0) + $0.1 }
  }
}
