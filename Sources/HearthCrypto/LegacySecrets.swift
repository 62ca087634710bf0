/// The database secrets that count: 40-character texts that sign legacy tokens and, sent raw, open everything.
///
/// A project has one set for all its databases. Newest first; several count at once while one replaces another.
public struct LegacySecrets: Sendable {
  /// Clients of the legacy format recognise a raw secret by this length.
  public static let length = 40

  /// Newest first.
  public let active: [String]
  let keys: [[UInt8]]
  private let digests: [Digest]

  /// - Parameter active: newest first, 1 to `TokenLimits.legacySecretsMax`; each 40 letters and digits. Nil otherwise.
  public init?(active: [String]) {
    guard (1...TokenLimits.legacySecretsMax).contains(active.count), active.allSatisfy(Self.isWellFormed) else {
      return nil
    }
    self.active = active
    keys = active.map { Array($0.utf8) }
    digests = keys.map { Digest(sha256: $0) }
  }

  /// A new secret of 238 bits.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    try random.alphanumeric(length: length)
  }

  /// The set after a rotation: a new secret signs, the others still count, the oldest falls out beyond the maximum.
  public func rotated(random: RandomBytes) throws(RandomnessError) -> LegacySecrets {
    let secrets = [try Self.generate(random: random)] + active
    return LegacySecrets(wellFormed: Array(secrets.prefix(TokenLimits.legacySecretsMax)))
  }

  private init(wellFormed active: [String]) {
    self.active = active
    keys = active.map { Array($0.utf8) }
    digests = keys.map { Digest(sha256: $0) }
  }

  /// Whether a text is one of the secrets. Takes the same time whichever it is, and however much of it is right: both
  /// sides are hashed, and every secret is compared.
  public func contains(_ candidate: String) -> Bool {
    let digest = Digest(sha256: candidate.utf8)
    var found = false
    for known in digests where ConstantTime.equal(known.bytes, digest.bytes) { found = true }
    return found
  }

  static func isWellFormed(_ secret: String) -> Bool {
    secret.utf8.count == length
      && secret.utf8.allSatisfy { byte in
        let character = Unicode.Scalar(byte)
        return ("a"..."z").contains(character) || ("A"..."Z").contains(character) || ("0"..."9").contains(character)
      }
  }
}
