/// The secrets and keys of one server, in a directory that only its user can read.
///
/// | file | holds |
/// |---|---|
/// | `legacy-secrets` | database secrets, one a line, newest first |
/// | `id-token-keys.pem` | key pairs of ID tokens, newest first, each a `kid:` line and a PKCS#8 PEM block |
/// | `admin-token` | the access token of the machine's administrator and of the command line |
///
/// What is missing is created, each file complete or not at all. Two processes that start at once agree: the one that
/// comes second reads what the first wrote.
public struct KeyStore: Sendable {
  public let directory: String
  public private(set) var legacySecrets: LegacySecrets
  public private(set) var idTokenKeys: IDTokenKeys
  /// The administrator's token in clear; see `AdminTokens`.
  public let adminToken: String

  private static let legacySecretsName = "legacy-secrets"
  private static let idTokenKeysName = "id-token-keys.pem"
  private static let adminTokenName = "admin-token"

  /// Opens the store in `directory`, whose parent exists.
  ///
  /// - Parameters:
  ///   - createsMissing: false to refuse a store that is not there yet, for commands that only look.
  ///   - random: for the secrets; OpenSSL draws the RSA keys itself.
  public init(
    directory: String, createsMissing: Bool = true, random: RandomBytes = .system
  ) throws(KeyStoreError) {
    self.directory = directory
    let folder = try PrivateFolder(path: directory, createsMissing: createsMissing)
    legacySecrets = try folder.value(Self.legacySecretsName, createsMissing: createsMissing) { text in
      LegacySecrets(active: text.split(separator: "\n").map(String.init))
    } create: { () throws(RandomnessError) in
      try LegacySecrets.generate(random: random) + "\n"
    }
    idTokenKeys = try folder.value(Self.idTokenKeysName, createsMissing: createsMissing) { text in
      IDTokenKeys(text: text)
    } create: { () throws(RandomnessError) in
      try IDTokenKeys.generate(random: random).text
    }
    adminToken = try folder.value(Self.adminTokenName, createsMissing: createsMissing) { text in
      let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
      let isWellFormed = line.hasPrefix(AdminTokens.prefix) && (32...256).contains(line.utf8.count)
      return isWellFormed && !line.contains(where: \.isWhitespace) ? line : nil
    } create: { () throws(RandomnessError) in
      try AdminTokens.generate(random: random) + "\n"
    }
  }

  /// Puts a new secret in front; the older ones still count, three in all.
  public mutating func rotateLegacySecret(random: RandomBytes = .system) throws(KeyStoreError) {
    let rotated: LegacySecrets
    do {
      rotated = try legacySecrets.rotated(random: random)
    } catch {
      throw .noRandomness(path: directory)
    }
    let text = rotated.active.map { $0 + "\n" }.joined()
    try PrivateFolder(path: directory, createsMissing: false).replace(Self.legacySecretsName, with: text)
    legacySecrets = rotated
  }

  /// Puts a new key pair in front; the older ones still verify, three in all.
  public mutating func rotateIDTokenKey(random: RandomBytes = .system) throws(KeyStoreError) {
    let rotated: IDTokenKeys
    do {
      rotated = try idTokenKeys.rotated(random: random, keeping: 2)
    } catch {
      throw .noRandomness(path: directory)
    }
    try PrivateFolder(path: directory, createsMissing: false).replace(Self.idTokenKeysName, with: rotated.text)
    idTokenKeys = rotated
  }
}
