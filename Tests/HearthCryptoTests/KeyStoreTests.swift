import Glibc
import Testing

@testable import HearthCrypto

@Suite("Key store")
struct KeyStoreTests {
  /// A temporary directory for each test.
  private final class TemporaryFolder {
    let path: String

    init() {
      var template = Array("/tmp/hearth-keys-XXXXXX".utf8CString)
      path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }  // /tmp is writable
    }

    var keys: String { path + "/keys" }

    /// Copies prepared key pairs into the directory: making one takes 100 ms, and few tests need new ones.
    func lendKeyPairs(_ names: [String] = ["id-token-keys.pem", "session-cookie-keys.pem", "minting-key.pem"]) {
      for name in names { write(TokenForge.otherKeys.text, to: name) }
    }

    deinit {
      for name in names(keys) { unlink(keys + "/" + name) }
      rmdir(keys)
      for name in names(path) { unlink(path + "/" + name) }
      rmdir(path)
    }

    func names(_ directory: String) -> [String] {
      guard let stream = opendir(directory) else { return [] }
      defer { closedir(stream) }
      var names: [String] = []
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { names.append(name) }
      }
      return names.sorted()
    }

    func write(_ text: String, to name: String, mode: mode_t = 0o600) {
      mkdir(keys, 0o700)
      let descriptor = open(keys + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
      fchmod(descriptor, mode)
      close(descriptor)
    }

    func mode(_ file: String) -> mode_t {
      var status = stat()
      stat(file, &status)
      return status.st_mode & 0o777
    }
  }

  private let names = [
    "admin-token", "id-token-keys.pem", "legacy-secrets", "minting-key.pem", "sealing-key", "session-cookie-keys.pem",
  ]

  private func code(_ temporary: TemporaryFolder, createsMissing: Bool = true) -> KeyStoreError.Code? {
    do {
      _ = try KeyStore(directory: temporary.keys, createsMissing: createsMissing)
      return nil
    } catch {
      #expect(error.description.contains(temporary.path))
      return error.code
    }
  }

  @Test("The first start makes all secrets and keys, readable by the owner alone")
  func firstStart() throws {
    let temporary = TemporaryFolder()
    let before = umask(0)
    let store = try KeyStore(directory: temporary.keys)
    #expect(temporary.names(temporary.keys) == ["admin-token", "legacy-secrets", "sealing-key"])
    try store.makeKeys()
    umask(before)
    #expect(temporary.names(temporary.keys) == names)
    #expect(temporary.mode(temporary.keys) == 0o700)
    for name in names { #expect(temporary.mode(temporary.keys + "/" + name) == 0o600) }
    #expect(store.legacySecrets.active.count == 1)
    #expect(store.legacySecrets.active[0].utf8.count == 40)
    #expect(try store.keys(.idToken).keyIDs.count == 1)
  }

  @Test("The second start finds the same secrets and keys")
  func secondStart() throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs(["session-cookie-keys.pem", "minting-key.pem"])
    let first = try KeyStore(directory: temporary.keys)
    #expect(code(temporary, createsMissing: false) == .missing)
    try first.makeKeys()
    let second = try KeyStore(directory: temporary.keys, createsMissing: false)
    #expect(first.legacySecrets.active == second.legacySecrets.active)
    #expect(try first.keys(.idToken).keyIDs == second.keys(.idToken).keyIDs)
    #expect(first.adminToken == second.adminToken)
    let front = CredentialVerifier(keys: second, projectID: "p")
    let minted = try LegacyTokenMinter(secrets: first.legacySecrets).mint(uid: "a", issuedAtSeconds: 1_000)
    #expect(try front.verify(minted, nowSeconds: 1_000).uid == "a")
    let subject = IDTokenSubject(uid: "b", signInProvider: "custom", authTimeSeconds: 1_000)
    let id = try IDTokenMinter(projectID: "p", keys: first.keys(.idToken)).mint(subject, issuedAtSeconds: 1_000)
    #expect(try front.verify(id, nowSeconds: 1_000).uid == "b")
    for credential in [first.adminToken, first.legacySecrets.active[0]] {
      #expect(try front.verify(credential, nowSeconds: 1_000).authority.bypassesRules)
    }
  }

  @Test("Two stores never share a secret")
  func distinct() throws {
    let one = TemporaryFolder()
    let two = TemporaryFolder()
    for temporary in [one, two] { temporary.lendKeyPairs(["session-cookie-keys.pem", "minting-key.pem"]) }
    let first = try KeyStore(directory: one.keys)
    let second = try KeyStore(directory: two.keys)
    #expect(first.legacySecrets.active != second.legacySecrets.active)
    #expect(first.adminToken != second.adminToken)
    #expect(try first.keys(.idToken).keyIDs != second.keys(.idToken).keyIDs)
  }

  @Test("Servers that start at once agree")
  func race() async throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs(["session-cookie-keys.pem", "minting-key.pem"])
    let directory = temporary.keys
    let seen = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<4 {
        group.addTask {
          let store = try KeyStore(directory: directory)
          return [store.adminToken, store.legacySecrets.active[0], try store.keys(.idToken).signingKeyID]
        }
      }
      var seen: Set<[String]> = []
      for try await one in group { seen.insert(one) }
      return seen
    }
    #expect(seen.count == 1)
    #expect(temporary.names(temporary.keys) == names)
  }

  @Test("A file that another process created meanwhile is kept, not replaced")
  func lateComer() throws {
    let temporary = TemporaryFolder()
    let folder = try PrivateFolder(path: temporary.keys, createsMissing: true)
    let value = try folder.value("a", createsMissing: true) { (text: String) in
      text
    } create: { () throws(RandomnessError) in
      temporary.write("theirs", to: "a")
      return "ours"
    }
    #expect(value == "theirs")
    #expect(temporary.names(temporary.keys) == ["a"])
  }

  @Test("Reading the store creates no file")
  func looking() throws {
    let temporary = TemporaryFolder()
    #expect(code(temporary, createsMissing: false) == .missing)
    #expect(temporary.names(temporary.path).isEmpty)
    mkdir(temporary.keys, 0o700)
    #expect(code(temporary, createsMissing: false) == .missing)
    #expect(temporary.names(temporary.keys).isEmpty)
  }

  @Test("Files that others may read are refused, with the command that restricts them")
  func openFile() throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs()
    _ = try KeyStore(directory: temporary.keys)
    for name in names {
      for mode: mode_t in [0o640, 0o604, 0o660, 0o666, 0o601] {
        chmod(temporary.keys + "/" + name, mode)
        do {
          _ = try KeyStore(directory: temporary.keys)
          Issue.record("accepted \(name)")
        } catch {
          #expect(error.code == .readableByOthers)
          #expect(error.path.hasSuffix(name))
          #expect(error.message.contains("chmod 600"))
        }
      }
      chmod(temporary.keys + "/" + name, 0o600)
    }
  }

  @Test("A directory that others may write to is refused")
  func openFolder() throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs()
    _ = try KeyStore(directory: temporary.keys)
    chmod(temporary.keys, 0o770)
    #expect(code(temporary) == .readableByOthers)
    chmod(temporary.keys, 0o755)
    #expect(code(temporary) == nil)
  }

  @Test(
    "Damaged files are refused and not overwritten",
    arguments: [
      ("legacy-secrets", ""), ("legacy-secrets", "short\n"),
      ("legacy-secrets", String(repeating: "é", count: 20) + "\n"),
      ("legacy-secrets", String(repeating: "a", count: 100_000)), ("id-token-keys.pem", ""),
      ("id-token-keys.pem", "kid: x\n"), ("session-cookie-keys.pem", ""), ("minting-key.pem", "-----BEGIN"),
      ("sealing-key", ""), ("sealing-key", "AAAA\n"), ("sealing-key", String(repeating: "A", count: 42) + "B\n"),
      ("admin-token", ""), ("admin-token", "\n"), ("admin-token", "owner\n"),
      ("admin-token", AdminTokens.prefix + "\n"),
    ])
  func damaged(name: String, text: String) {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs()
    temporary.write(text, to: name)
    #expect(code(temporary) == .damaged)
    #expect(code(temporary) == .damaged)
  }

  @Test("A link or a folder in place of a file is refused")
  func notAFile() throws {
    let linked = TemporaryFolder()
    mkdir(linked.keys, 0o700)
    symlink("/dev/zero", linked.keys + "/legacy-secrets")
    #expect(code(linked) == .notAFile)
    let folder = TemporaryFolder()
    mkdir(folder.keys, 0o700)
    mkdir(folder.keys + "/legacy-secrets", 0o700)
    #expect(code(folder) == .notAFile)
    rmdir(folder.keys + "/legacy-secrets")
    let pipe = TemporaryFolder()
    mkdir(pipe.keys, 0o700)
    mkfifo(pipe.keys + "/legacy-secrets", 0o600)
    #expect(code(pipe) == .notAFile)
    let file = TemporaryFolder()
    symlink("/dev/null", file.keys)
    #expect(code(file) == .notAFile)
    unlink(file.keys)
  }

  @Test("A missing parent folder is an error, and no folders are created")
  func missingParent() {
    #expect(throws: KeyStoreError.self) { try KeyStore(directory: "/tmp/hearth-no-such-folder/keys") }
  }

  @Test("Without randomness no file is left behind")
  func noRandomness() {
    let temporary = TemporaryFolder()
    let none = RandomBytes { (_) throws(RandomnessError) in throw RandomnessError() }
    do {
      _ = try KeyStore(directory: temporary.keys, random: none)
      Issue.record("opened")
    } catch {
      #expect(error.code == .noRandomness)
    }
    #expect(temporary.names(temporary.keys).isEmpty)
  }

  @Test("Rotated secrets and keys are there after a restart")
  func rotation() throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs()
    var store = try KeyStore(directory: temporary.keys)
    let oldSecret = store.legacySecrets.active[0]
    let oldKey = try store.keys(.idToken).signingKeyID
    try store.rotateLegacySecret()
    try store.change(.idToken) { (keys) throws(RandomnessError) in try keys.rotated(random: .system) }
    let again = try KeyStore(directory: temporary.keys)
    #expect(again.legacySecrets.active == store.legacySecrets.active)
    #expect(again.legacySecrets.active.count == 2 && again.legacySecrets.active[1] == oldSecret)
    let keyIDs = try again.keys(.idToken).keyIDs
    #expect(try keyIDs == store.keys(.idToken).keyIDs && keyIDs[1] == oldKey)
    #expect(temporary.names(temporary.keys) == names)
    for name in names { #expect(temporary.mode(temporary.keys + "/" + name) == 0o600) }
  }

  @Test("A left-over temporary file has no effect")
  func leftOver() throws {
    let temporary = TemporaryFolder()
    temporary.lendKeyPairs()
    temporary.write("half", to: "legacy-secrets.new.aBcDeF")
    #expect(throws: Never.self) { try KeyStore(directory: temporary.keys) }
    #expect(temporary.names(temporary.keys) == (names + ["legacy-secrets.new.aBcDeF"]).sorted())
  }
}
