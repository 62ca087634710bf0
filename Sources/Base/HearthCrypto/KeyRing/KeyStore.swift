import Glibc

/// The secrets and keys of one server, in a directory that only its user can read.
///
/// | file | holds |
/// |---|---|
/// | `legacy-secrets` | database secrets, one a line, newest first |
/// | `id-token-keys.pem` | key pairs of ID tokens, newest first, each some lines of fields and a PKCS#8 PEM block |
/// | `session-cookie-keys.pem` | the key pairs of session cookies, in the same format |
/// | `minting-key.pem` | the key pair with which the command line signs custom tokens, in the same format |
/// | `sealing-key` | 32 bytes as base64url: the key that seals secrets in the accounts' store |
/// | `admin-token` | the access token of the machine's administrator and of the command line |
///
/// Missing files are created atomically: secrets when the store is opened, and signing keys, which take some 100 ms
/// each, when they are first needed. When two processes start at the same time, the second one reads the files of the
/// first. Changes apply to the file's current content, one process at a time.
public struct KeyStore: Sendable, Redacted {
  /// The folder's path, as it was given.
  public let directory: String
  /// The database secrets, newest first.
  public private(set) var legacySecrets: LegacySecrets
  /// The administrator's token in plain text; see `AdminTokens`.
  public let adminToken: String
  private(set) var idTokenFile: KeyFile
  private(set) var sessionCookieFile: KeyFile
  let mintingFile: KeyFile
  let sealingKey: SealingKey

  private static let legacySecretsName = "legacy-secrets"
  private static let mintingKeyName = "minting-key.pem"
  private static let sealingKeyName = "sealing-key"
  private static let adminTokenName = "admin-token"

  /// The files that servers with shared accounts share and may change.
  static let sharedNames = [legacySecretsName, keysName(.idToken), keysName(.sessionCookie)]

  /// Returns true when the texts of a bundle can be read as these files.
  static func isReadable(_ bundle: KeyBundle) -> Bool {
    bundle.files.allSatisfy { name, text in
      name == legacySecretsName ? parseLegacySecrets(text) != nil : SigningKeys(text: text) != nil
    }
  }

  private static func keysName(_ kind: KeyKind) -> String { "\(kind.rawValue)-keys.pem" }

  /// Opens the store in `directory`, whose parent exists. Damaged files are reported at once.
  ///
  /// - Parameters:
  /// - createsMissing: False to throw an error when the store does not exist yet or is incomplete.
  /// - random: The source of secrets; OpenSSL generates the RSA keys itself.
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
    func keys(_ name: String) throws(KeyStoreError) -> KeyFile {
      let file = KeyFile(
        path: directory + "/" + name,
        read: { () throws(KeyStoreError) in try folder.existing(name, parse: SigningKeys.init(text:)) },
        make: { () throws(KeyStoreError) in
          try folder.value(name, createsMissing: true, parse: SigningKeys.init(text:)) { () throws(RandomnessError) in
            try SigningKeys.generate(random: random).text
          }
        })
      if try file.keysIfPresent() == nil, !createsMissing { throw .missing(path: directory + "/" + name) }
      return file
    }
    idTokenFile = try keys(Self.keysName(.idToken))
    sessionCookieFile = try keys(Self.keysName(.sessionCookie))
    mintingFile = try keys(Self.mintingKeyName)
  }

  private static func parseLegacySecrets(_ text: String) -> LegacySecrets? {
    LegacySecrets(active: text.split(separator: "\n").map(String.init))
  }

  /// Returns the keys of a kind, which are created when they are missing. Blocks while another thread creates them.
  public func keys(_ kind: KeyKind) throws(KeyStoreError) -> SigningKeys { try file(kind).keys() }

  /// Creates the missing signing keys.
  ///
  /// - Throws: The error of the first key that cannot be created.
  package func makeKeys() throws(KeyStoreError) {
    for file in [idTokenFile, sessionCookieFile, mintingFile] { _ = try file.keys() }
  }

  func file(_ kind: KeyKind) -> KeyFile {
    switch kind {
    case .idToken: idTokenFile
    case .sessionCookie: sessionCookieFile
    }
  }

  /// Takes over the file objects of another store, with the values derived from them, where the content is equal.
  mutating func keepFiles(of other: KeyStore) {
    if idTokenFile.hasSameKeys(as: other.idTokenFile) { idTokenFile = other.idTokenFile }
    if sessionCookieFile.hasSameKeys(as: other.sessionCookieFile) { sessionCookieFile = other.sessionCookieFile }
  }

  /// The service account that the server itself has, so that its command line can sign custom tokens.
  public func mintingAccount(projectID: String) throws(KeyStoreError) -> MintingAccount {
    let mintingKey = try mintingFile.keys()
    return MintingAccount(
      email: MintingAccount.email(projectID: projectID), keyID: mintingKey.signing.id,
      privatePEM: String(decoding: mintingKey.signing.privatePEM, as: UTF8.self),
      publicPEM: mintingKey.publicPEM(keyID: mintingKey.signing.id) ?? "")
  }

  // MARK: Copies

  /// Copies the keys and secrets to a store in another directory, whose parent exists. Missing keys are created first.
  ///
  /// - Throws: ``KeyStoreError``, including one when the directory has other keys.
  package func copy(to directory: String) throws(KeyStoreError) {
    try makeKeys()
    let (folder, copy) = (
      try PrivateFolder(path: self.directory, createsMissing: false),
      try PrivateFolder(path: directory, createsMissing: true)
    )
    for name in [
      Self.legacySecretsName, Self.keysName(.idToken), Self.keysName(.sessionCookie), Self.mintingKeyName,
      Self.sealingKeyName, Self.adminTokenName,
    ] {
      guard let text = try folder.existing(name, parse: { $0 }) else {
        throw .missing(path: self.directory + "/" + name)
      }
      let written = try copy.value(name, createsMissing: true, parse: { $0 }, create: { text })
      guard written == text else { throw .damaged(path: directory + "/" + name) }
    }
  }

  // MARK: Changes

  /// Adds a new secret in front; older ones stay valid, up to ``TokenLimits/legacySecretsMax`` in total.
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

  /// - Parameter body: Returns the new keys, given those in the file; nil to keep them unchanged.
  mutating func change(
    _ kind: KeyKind, _ body: (SigningKeys) throws(RandomnessError) -> SigningKeys?
  ) throws(KeyStoreError) {
    let folder = try PrivateFolder(path: directory, createsMissing: false)
    let keys = try folder.exclusively { () throws(KeyStoreError) in
      let found = try folder.value(
        Self.keysName(kind), createsMissing: false, parse: SigningKeys.init(text:)
      ) { "" }
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
    case .idToken: idTokenFile = KeyFile(keys, path: idTokenFile.path)
    case .sessionCookie: sessionCookieFile = KeyFile(keys, path: sessionCookieFile.path)
    }
  }
}
