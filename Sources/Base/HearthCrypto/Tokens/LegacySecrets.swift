/// The valid database secrets: strings of 40 characters that sign legacy tokens and, when sent as a credential, grant
/// full access.
///
/// A project has one set for all its databases, newest first. Several are valid during a rotation.
public struct LegacySecrets: Sendable, Redacted {
  /// The length of a secret, by which clients with the legacy API recognise one.
  public static let length = 40

  /// The secrets, newest first.
  public let active: [String]
  let keys: [[UInt8]]
  private let digests: [Digest]

  /// The ID of each secret in the same order, for lists and logs: the beginning of its hash, which does not reveal the
  /// secret.
  public var ids: [String] { digests.map(Self.id(of:)) }

  private static func id(of digest: Digest) -> String { String(digest.hex.prefix(16)) }

  /// - Parameter active: The secrets, newest first: 1 to `TokenLimits.legacySecretsMax`, each of 40 letters and digits.
  ///   The result is nil for anything else.
  public init?(active: [String]) {
    guard (1...TokenLimits.legacySecretsMax).contains(active.count), active.allSatisfy(Self.isWellFormed) else {
      return nil
    }
    self.active = active
    keys = active.map { Array($0.utf8) }
    digests = keys.map { Digest(sha256: $0) }
  }

  /// Generates a secret of 238 bits.
  public static func generate(random: RandomBytes) throws(RandomnessError) -> String {
    try random.alphanumeric(length: length)
  }

  /// Returns the set after a rotation: a new secret signs, the others stay valid, the oldest is dropped beyond the
  /// maximum.
  public func rotated(random: RandomBytes) throws(RandomnessError) -> LegacySecrets {
    let secrets = [try Self.generate(random: random)] + active
    return LegacySecrets(wellFormed: Array(secrets.prefix(TokenLimits.legacySecretsMax)))
  }

  private init(wellFormed active: [String]) {
    self.active = active
    keys = active.map { Array($0.utf8) }
    digests = keys.map { Digest(sha256: $0) }
  }

  /// Returns true when a text is one of the secrets. Takes the same time for every text: both sides are hashed, and
  /// every secret is compared.
  public func contains(_ candidate: String) -> Bool { id(matching: candidate) != nil }

  /// Returns the ID of the secret that equals a text; nil when none does. Takes the same time for every text.
  func id(matching candidate: String) -> String? {
    let digest = Digest(sha256: candidate.utf8)
    var found: Digest?
    for known in digests where ConstantTime.equal(known.bytes, digest.bytes) { found = known }
    return found.map(Self.id(of:))
  }

  /// Returns the set without the secret at an index; nil when there is no such index, or it is the only secret.
  public func removing(at index: Int) -> LegacySecrets? {
    guard active.indices.contains(index), active.count > 1 else { return nil }
    var rest = active
    rest.remove(at: index)
    return LegacySecrets(wellFormed: rest)
  }

  static func isWellFormed(_ secret: String) -> Bool {
    secret.utf8.count == length
      && secret.utf8.allSatisfy { byte in
        let character = Unicode.Scalar(byte)
        return ("a"..."z").contains(character) || ("A"..."Z").contains(character) || ("0"..."9").contains(character)
      }
  }
}
