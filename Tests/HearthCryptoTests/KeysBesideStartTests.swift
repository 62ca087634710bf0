import Glibc
import Testing

@testable import HearthCrypto

/// Signing keys that are made while a server answers already.
@Suite("Keys beside a start")
struct KeysBesideStartTests {
  private let folder = KeyFolder()
  private let now: Int64 = 1_700_000_000

  private func remove(_ names: String...) {
    for name in names { unlink(folder.path + "/" + name) }
  }

  private func hasFile(_ name: String) -> Bool { access(folder.path + "/" + name, F_OK) == 0 }

  private func ring(_ store: KeyStore) -> KeyRing { KeyRing(store: store, projectID: KeyFolder.projectID) }

  private func mint(_ ring: KeyRing) throws -> String {
    try ring.mintIDToken(IDTokenSubject(uid: "u", signInProvider: "custom", authTimeSeconds: now), issuedAtSeconds: now)
  }

  @Test("what needs no key does not wait for one: secrets are there, key files are not")
  func secretsFirst() throws {
    remove("id-token-keys.pem", "session-cookie-keys.pem", "minting-key.pem")
    let store = try KeyStore(directory: folder.path, makesKeysLater: true)
    let ring = ring(store)
    let secret = try #require(store.legacySecrets.active.first)
    #expect(throws: Never.self) { try ring.verifier.verify(secret, nowSeconds: now) }
    #expect(throws: Never.self) { try ring.verifier.verify(store.adminToken, nowSeconds: now) }
    #expect(ring.unseal(try ring.seal([1, 2, 3])) == [1, 2, 3])
    #expect(!hasFile("id-token-keys.pem") && !hasFile("session-cookie-keys.pem") && !hasFile("minting-key.pem"))
  }

  @Test("many who need a key at once get the same, which is in the file before anybody signs with it")
  func oneKey() async throws {
    remove("id-token-keys.pem")
    let ring = ring(try KeyStore(directory: folder.path, makesKeysLater: true))
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<4 { group.addTask { try mint(ring) } }
      group.addTask {
        _ = ring.rotateIfDue(nowSeconds: now)
        return try mint(ring)
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let again = self.ring(try KeyStore(directory: folder.path, createsMissing: false))
    for token in tokens {
      #expect(throws: Never.self) { try ring.verifyIDToken(token, nowSeconds: now) }
      #expect(throws: Never.self) { try again.verifyIDToken(token, nowSeconds: now) }
    }
    #expect(ring.list(.idToken).map(\.kid) == again.list(.idToken).map(\.kid))
    #expect(ring.jwks(.idToken) == again.jwks(.idToken))
  }

  @Test("a start that ended between two keys keeps the first and makes the rest")
  func interrupted() throws {
    remove("minting-key.pem")
    let before = try Array(folderText("id-token-keys.pem"))
    let ring = ring(try KeyStore(directory: folder.path, makesKeysLater: true))
    #expect(throws: Never.self) { try ring.rotateIfDue(nowSeconds: now).get() }
    #expect(hasFile("minting-key.pem"))
    let kid = try #require(ring.list(.idToken).first?.kid)
    #expect(String(decoding: before, as: UTF8.self).contains(kid))
  }

  @Test("keys that another process made meanwhile are those that count")
  func otherProcess() throws {
    remove("id-token-keys.pem")
    let ring = ring(try KeyStore(directory: folder.path, makesKeysLater: true))
    folder.write(TokenForge.otherKeys.text, to: "id-token-keys.pem")
    #expect(ring.list(.idToken).map(\.kid) == TokenForge.otherKeys.keyIDs)
  }

  @Test("a key that cannot be made is no token, and the next who needs it tries again")
  func failure() throws {
    remove("id-token-keys.pem")
    // A folder in the file's place, made after the store was opened.
    let ring = ring(try KeyStore(directory: folder.path, makesKeysLater: true))
    mkdir(folder.path + "/id-token-keys.pem", 0o700)
    #expect(throws: TokenMintError.unavailable) { try mint(ring) }
    let foreign = try mint(self.ring(try KeyFolder().store()))
    #expect(throws: CredentialError(.unavailable, reason: "")) { try ring.verifyIDToken(foreign, nowSeconds: now) }
    let place = folder.path + "/id-token-keys.pem"
    #expect(throws: KeyStoreError.notAFile(path: place, wanted: "")) { try ring.rotateIfDue(nowSeconds: now).get() }
    rmdir(folder.path + "/id-token-keys.pem")
    #expect(throws: Never.self) { try ring.verifyIDToken(mint(ring), nowSeconds: now) }
  }

  @Test("a command on a folder whose server makes its keys waits for them, and not for secrets")
  func command() async throws {
    remove("session-cookie-keys.pem")
    let server = ring(try KeyStore(directory: folder.path, makesKeysLater: true))
    async let opened = Task.detached { [path = folder.path] in try KeyStore.ofServer(directory: path) }.value
    #expect(throws: Never.self) { try server.rotateIfDue(nowSeconds: now).get() }
    #expect(try await opened.keys(.sessionCookie).keyIDs == server.list(.sessionCookie).map(\.kid))
    remove("legacy-secrets")
    #expect(throws: KeyStoreError.missing(path: folder.path + "/legacy-secrets")) {
      try KeyStore.ofServer(directory: folder.path)
    }
  }

  private func folderText(_ name: String) throws -> [UInt8] {
    let file = open(folder.path + "/" + name, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    return Array(bytes[..<read(file, &bytes, bytes.count)])
  }
}
