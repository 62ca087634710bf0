import COpenSSL

/// A seal for keys in backups: it encrypts and authenticates bytes with a passphrase.
///
/// The key is scrypt (RFC 7914) of the passphrase with N = 2^16, r = 8, p = 1, which takes about a quarter of a second
/// and 64 MiB; the cipher is AES-256-GCM. Sealed bytes:
///
///     0   "HrthSeal"
///     8   version, 1 byte: 1
///     9   log2 N, r and p, 1 byte each
///     12  salt, 16 bytes
///     28  nonce, 12 bytes
///     40  the encrypted bytes, as many as were sealed
///     …   tag, 16 bytes, which also authenticates the first 40 bytes
public struct PassphraseSeal: Sendable, Redacted {
  /// The minimum size of a passphrase: with a guessed one, all keys of a server can be read.
  public static let passphraseBytesMin = 12

  private static let start = Array("HrthSeal".utf8) + [1]
  private static let (logN, r, p): (UInt8, UInt8, UInt8) = (16, 8, 1)
  /// The largest cost that is accepted when sealed bytes are opened, because a wrong number could exhaust the memory.
  private static let logNMax: UInt8 = 20
  private static let (headBytes, saltBytes, nonceBytes, tagBytes) = (40, 16, 12, 16)
  private static let sealedBytesMax = 256 << 20

  private let passphrase: String

  /// The reason why sealed bytes could not be opened.
  public enum Problem: Error, Sendable {
    /// The bytes are not sealed bytes, or those of a newer version.
    case notSealed
    /// The passphrase is wrong, or the bytes were changed.
    case wrongPassphrase
    /// The system has not enough memory for the key.
    case noMemory
  }

  /// Creates a seal; nil for a passphrase that is too short.
  public init?(passphrase: String) {
    guard passphrase.utf8.count >= Self.passphraseBytesMin else { return nil }
    self.passphrase = passphrase
  }

  /// Seals bytes, each time with another salt.
  ///
  /// - Throws: An error when the system provides no random bytes, or there is no memory for the key.
  public func seal(_ bytes: [UInt8], random: RandomBytes = .system) throws -> [UInt8] {
    var head = Self.start + [Self.logN, Self.r, Self.p]
    head += try random.bytes(Self.saltBytes)
    head += try random.bytes(Self.nonceBytes)
    guard head.count == Self.headBytes, bytes.count <= Self.sealedBytesMax else { throw RandomnessError() }
    var out = [UInt8](repeating: 0, count: bytes.count)
    var tag = [UInt8](repeating: 0, count: Self.tagBytes)
    try run(1, head, bytes, &out, &tag)
    return head + out + tag
  }

  /// Opens sealed bytes.
  ///
  /// - Throws: ``Problem``.
  public func open(_ sealed: [UInt8]) throws(Problem) -> [UInt8] {
    guard sealed.count >= Self.headBytes + Self.tagBytes, sealed.count <= Self.sealedBytesMax + Self.headBytes,
      sealed.starts(with: Self.start)
    else { throw .notSealed }
    let head = Array(sealed[..<Self.headBytes])
    let cipher = Array(sealed[Self.headBytes..<(sealed.count - Self.tagBytes)])
    var out = [UInt8](repeating: 0, count: cipher.count)
    var tag = Array(sealed.suffix(Self.tagBytes))
    try run(0, head, cipher, &out, &tag)
    return out
  }

  private func run(
    _ encrypting: Int32, _ head: [UInt8], _ bytes: [UInt8], _ out: inout [UInt8], _ tag: inout [UInt8]
  ) throws(Problem) {
    let (logN, r, p) = (head[9], head[10], head[11])
    guard (10...Self.logNMax).contains(logN), (1...16).contains(r), (1...4).contains(p) else { throw .notSealed }
    let salt = Array(head[12..<12 + Self.saltBytes])
    let nonce = Array(head[28..<28 + Self.nonceBytes])
    guard
      var key = Scrypt.derive(
        WipedBytes(passphrase), salt: salt, logN: Int(logN), r: Int(r), p: Int(p), sizeBytes: 32)
    else { throw .noMemory }
    defer { key.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    // An empty array may have no address.
    var room = out + [0]
    let done = hearth_aes256_gcm(encrypting, key, nonce, head, head.count, bytes + [0], bytes.count, &room, &tag)
    guard done == 1 else {
      ERR_clear_error()
      throw .wrongPassphrase
    }
    out = Array(room.dropLast())
  }
}
