import COpenSSL
import HearthBytes

/// The key that seals secrets in the accounts' store: TOTP secrets, keys of imported hashes.
///
/// A sealed text is `s1.` and the base64url of nonce (12 bytes), ciphertext and tag (16 bytes) of AES-256-GCM.
struct SealingKey: Sendable, Redacted {
  private static let prefix = "s1."
  private static let nonceBytes = 12
  private static let tagBytes = 16
  private static let keyBytes = 32

  private let key: [UInt8]
  /// The key for the throttle's counters, so that they contain no addresses in plain text.
  let throttleKey: [UInt8]
  /// The key for the hashes of recovery codes.
  let recoveryKey: [UInt8]
  /// The key for the codes of an emulator's tokens.
  let tokenSealKey: [UInt8]

  static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    Base64URL.encode(try random.bytes(keyBytes)) + "\n"
  }

  /// Reads the file's text, one line of 43 characters; nil for any other.
  init?(text: String) {
    let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
    guard let root = Base64URL.decode(line.utf8), root.count == Self.keyBytes,
      let key = MessageAuthenticationCode.hmacSHA256(Array("hearth sealing 1".utf8), key: root),
      let throttleKey = MessageAuthenticationCode.hmacSHA256(Array("hearth throttle 1".utf8), key: root),
      let recoveryKey = MessageAuthenticationCode.hmacSHA256(Array("hearth recovery codes 1".utf8), key: root),
      let tokenSealKey = MessageAuthenticationCode.hmacSHA256(Array("hearth emulator tokens 1".utf8), key: root)
    else { return nil }
    self.key = key
    self.tokenSealKey = tokenSealKey
    self.throttleKey = throttleKey
    self.recoveryKey = recoveryKey
  }

  /// Seals bytes.
  ///
  /// - Parameters:
  /// - purpose: A text for the meaning and owner of the bytes; ``unseal(_:for:)`` requires the same text.
  func seal(_ bytes: [UInt8], for purpose: String, random: RandomBytes) throws(RandomnessError) -> String {
    Self.prefix + (try sealBare(bytes, for: purpose, random: random))
  }

  /// Seals bytes without the prefix `s1.`, for formats that have a prefix of their own.
  func sealBare(_ bytes: [UInt8], for purpose: String, random: RandomBytes) throws(RandomnessError) -> String {
    let nonce = try random.bytes(Self.nonceBytes)
    guard nonce.count == Self.nonceBytes else { throw RandomnessError() }
    var out = [UInt8](repeating: 0, count: bytes.count)
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    let bound = Array(purpose.utf8)
    guard hearth_aes256_gcm(1, key, nonce, bound, bound.count, bytes, bytes.count, &out, &tag) == 1 else {
      throw RandomnessError()
    }
    return Base64URL.encode(nonce + out + tag)
  }

  /// Opens a sealed text; nil when it was not sealed with this key for this purpose, or was changed.
  func unseal(_ text: String, for purpose: String) -> [UInt8]? {
    guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
    return unsealBare(text.utf8.dropFirst(Self.prefix.utf8.count), for: purpose)
  }

  /// Opens a text of ``sealBare(_:for:random:)``; nil when it was not sealed with this key for this purpose.
  func unsealBare(_ text: Substring.UTF8View, for purpose: String) -> [UInt8]? {
    defer { ERR_clear_error() }
    guard let sealed = Base64URL.decode(text), sealed.count >= Self.nonceBytes + Self.tagBytes else { return nil }
    let nonce = Array(sealed.prefix(Self.nonceBytes))
    let cipher = Array(sealed.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
    var tag = Array(sealed.suffix(Self.tagBytes))
    var out = [UInt8](repeating: 0, count: cipher.count)
    let bound = Array(purpose.utf8)
    guard hearth_aes256_gcm(0, key, nonce, bound, bound.count, cipher, cipher.count, &out, &tag) == 1 else {
      return nil
    }
    return out
  }
}
