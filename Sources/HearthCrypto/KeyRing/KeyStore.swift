/// The secrets and keys of one server, in a directory that only its user can read.
///
/// | file | holds |
/// |---|---|
/// | `legacy-secrets` | database secrets, one a line, newest first |
/// | `id-token-keys.pem` | key pairs of ID tokens, newest first, each some lines of fields and a PKCS#8 PEM block |
/// | `session-cookie-keys.pem` | the same for session cookies |
/// | `minting-key.pem` | the key pair by which the command line signs custom tokens, in the same form |
/// | `sealing-key` | 32 bytes as base64url: what secrets in the accounts' store are sealed with |
/// | `admin-token` | the access token of the machine's administrator and of the command line |
///
/// What is missing is created, each file complete or not at all. Two processes that start at once agree: the one that
/// comes second reads what the first wrote. Changes are made to what the file holds at that moment, one process at a
/// time.
public struct KeyStore: Sendable, Redacted {
  public let directory: String
  public private(set) var legacySecrets: LegacySecrets
  public private(set) var idTokenKeys: SigningKeys
  public private(set) var sessionCookieKeys: SigningKeys
  /// The administrator's token in clear; see `AdminTokens`.
  public let adminToken: String
  let mintingKey: SigningKeys
  let sealingKey: SealingKey

  private static let legacySecretsName = "legacy-secrets"
  private static let mintingKeyName = "minting-key.pem"
  private static let sealingKeyName = "sealing-key"
  private static let adminTokenName = "admin-token"

  private static func keysName(_ kind: KeyKind) -> String { "\(kind.rawValue)-keys.pem" }

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
    legacySecrets = try folder.value(
      Self.legacySecretsName, createsMissing: createsMissing, parse: Self.parseLegacySecrets
    ) { () throws(RandomnessError) in
      try LegacySecrets.generate(random: random) + "\n"
    }
    sealingKey = try folder.value(Self.sealingKeyName, createsMissing: createsMissing) { text in
      SealingKey(text: text)
    } create: { () throws(RandomnessError) in
      try SealingKey.generate(random: random)
    }
    adminToken = try folder.value(Self.adminTokenName, createsMissing: createsMissing) { text in
      let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
      let isWellFormed = line.hasPrefix(AdminTokens.prefix) && (32...256).contains(line.utf8.count)
      return isWellFormed && !line.contains(where: \.isWhitespace) ? line : nil
    } create: { () throws(RandomnessError) in
      try AdminTokens.generate(random: random) + "\n"
    }
    // Last, because making them takes the longest: what is damaged above is said at once.
    func keys(_ name: String) throws(KeyStoreError) -> SigningKeys {
      try folder.value(name, createsMissing: createsMissing) { text in
        SigningKeys(text: text)
      } create: { () throws(RandomnessError) in
        try SigningKeys.generate(random: random).text
      }
    }
    idTokenKeys = try keys(Self.keysName(.idToken))
    sessionCookieKeys = try keys(Self.keysName(.sessionCookie))
    mintingKey = try keys(Self.mintingKeyName)
  }

  private static func parseLegacySecrets(_ text: String) -> LegacySecrets? {
    LegacySecrets(active: text.split(separator: "\n").map(String.init))
  }

  public func keys(_ kind: KeyKind) -> SigningKeys {
    switch kind {
    case .idToken: idTokenKeys
    case .sessionCookie: sessionCookieKeys
    }
  }

  /// The service account that the server itself has, so that its command line can sign custom tokens.
  public func mintingAccount(projectID: String) -> MintingAccount {
    MintingAccount(
      email: "hearth@\(projectID).iam.gserviceaccount.com", keyID: mintingKey.signing.id,
      privatePEM: String(decoding: mintingKey.signing.privatePEM, as: UTF8.self),
      publicPEM: mintingKey.publicPEM(keyID: mintingKey.signing.id) ?? "")
  }

  // MARK: Changes

  /// Puts a new secret in front; the older ones still count, three in all.
  public mutating func rotateLegacySecret(random: RandomBytes = .system) throws(KeyStoreError) {
    let directory = directory
    try changeLegacySecrets { (secrets) throws(KeyStoreError) in
      do {
        return try secrets.rotated(random: random)
      } catch {
        throw .noRandomness(path: directory)
      }
    }
  }

  mutating func changeLegacySecrets(
    _ body: (LegacySecrets) throws(KeyStoreError) -> LegacySecrets
  ) throws(KeyStoreError) {
    let folder = try PrivateFolder(path: directory, createsMissing: false)
    legacySecrets = try folder.exclusively { () throws(KeyStoreError) in
      let changed = try body(
        try folder.value(Self.legacySecretsName, createsMissing: false, parse: Self.parseLegacySecrets) { "" })
      try folder.replace(Self.legacySecretsName, with: changed.active.map { $0 + "\n" }.joined())
      return changed
    }
  }

  /// - Parameter body: the keys that shall be, from those in the file; nil to leave them.
  mutating func change(
    _ kind: KeyKind, _ body: (SigningKeys) throws(RandomnessError) -> SigningKeys?
  ) throws(KeyStoreError) {
    let folder = try PrivateFolder(path: directory, createsMissing: false)
    let keys = try folder.exclusively { () throws(KeyStoreError) in
      let found = try folder.value(Self.keysName(kind), createsMissing: false, parse: SigningKeys.init(text:)) { "" }
      let changed: SigningKeys?
      do {
        changed = try body(found)
      } catch {
        throw .noRandomness(path: directory)
      }
      guard let changed else { return found }
      try folder.replace(Self.keysName(kind), with: changed.text)
      return changed
    }
    switch kind {
    case .idToken: idTokenKeys = keys
    case .sessionCookie: sessionCookieKeys = keys
    }
  }
}
