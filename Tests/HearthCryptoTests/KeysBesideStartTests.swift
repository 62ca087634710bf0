import Dispatch
import Glibc
import HearthTestKit
import Testing

@testable import HearthCrypto

/// Tests of signing keys that are made after the server has started to answer.
@Suite("Keys made during a start")
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

  @Test("opening a store makes secrets, and no signing key")
  func secretsFirst() throws {
    remove("id-token-keys.pem", "session-cookie-keys.pem", "minting-key.pem")
    let store = try KeyStore(directory: folder.path)
    let ring = ring(store)
    let secret = try #require(store.legacySecrets.active.first)
    #expect(throws: Never.self) { try ring.verifier.verify(secret, nowSeconds: now) }
    #expect(throws: Never.self) { try ring.verifier.verify(store.adminToken, nowSeconds: now) }
    #expect(ring.unseal(try ring.seal([1, 2, 3])) == [1, 2, 3])
    let foreign = try mint(self.ring(try KeyFolder().store()))
    #expect(throws: CredentialError.invalid("")) { try ring.verifier.verify(foreign, nowSeconds: now) }
    #expect(throws: CredentialError.invalid("")) { try ring.verifySessionCookie(foreign, nowSeconds: now) }
    #expect(!hasFile("id-token-keys.pem") && !hasFile("session-cookie-keys.pem") && !hasFile("minting-key.pem"))
  }

  @Test("while keys are being created, signing waits for them, and verifying does not")
  func waiting() async throws {
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let file = KeyFile(
      path: "keys", read: { () throws(KeyStoreError) in nil },
      make: { () throws(KeyStoreError) in
        begun.signal()
        gate.wait()
        return TokenForge.keys
      })
    let made = BlockingCall { try file.keys() }
    try await BlockingCall { begun.wait() }.value()
    let waited = BlockingCall { try file.keys() }
    #expect(try file.keysIfPresent() == nil)
    #expect(!file.containsKey(TokenForge.keys.signingKeyID))
    let verifier = IDTokenVerifier(projectID: KeyFolder.projectID, keys: file.keysIfPresent, seal: nil)
    let token = try mint(ring(try KeyFolder().store()))
    #expect(throws: CredentialError.invalid("")) { try verifier.verify(token, nowSeconds: now) }
    gate.signal()
    #expect(try await made.value().keyIDs == TokenForge.keys.keyIDs)
    #expect(try await waited.value().keyIDs == TokenForge.keys.keyIDs)
    #expect(throws: Never.self) { try verifier.verify(token, nowSeconds: now) }
    #expect(begun.wait(timeout: .now()) == .timedOut, "made once")
  }

  @Test("waiting for keys that are never created fails with an error")
  func boundedWait() async throws {
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let file = KeyFile(
      path: "keys", read: { () throws(KeyStoreError) in nil },
      make: { () throws(KeyStoreError) in
        begun.signal()
        gate.wait()
        return TokenForge.keys
      }, waitsMax: 2)
    let made = BlockingCall { try file.keys() }
    try await BlockingCall { begun.wait() }.value()
    #expect(throws: KeyStoreError.unfinished(path: "keys")) { try file.keys() }
    gate.signal()
    _ = try await made.value()
    #expect(throws: Never.self) { try file.keys() }
  }

  @Test("concurrent requests get the same key, which is in the file before it signs")
  func oneKey() async throws {
    remove("id-token-keys.pem")
    let ring = ring(try KeyStore(directory: folder.path))
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

  @Test("a start that ended between two keys keeps the first and makes the missing ones")
  func interrupted() throws {
    remove("minting-key.pem")
    let before = try Array(folderText("id-token-keys.pem"))
    let ring = ring(try KeyStore(directory: folder.path))
    #expect(throws: Never.self) { try ring.rotateIfDue(nowSeconds: now).get() }
    #expect(hasFile("minting-key.pem"))
    let kid = try #require(ring.list(.idToken).first?.kid)
    #expect(String(decoding: before, as: UTF8.self).contains(kid))
  }

  @Test("keys that another process made meanwhile are used")
  func otherProcess() throws {
    remove("id-token-keys.pem")
    let ring = ring(try KeyStore(directory: folder.path))
    folder.write(TokenForge.otherKeys.text, to: "id-token-keys.pem")
    #expect(ring.list(.idToken).map(\.kid) == TokenForge.otherKeys.keyIDs)
  }

  @Test("a failed key creation fails the token, and the next request tries again")
  func failure() throws {
    remove("id-token-keys.pem")
    // A folder in the file's place, made after the store was opened.
    let ring = ring(try KeyStore(directory: folder.path))
    mkdir(folder.path + "/id-token-keys.pem", 0o700)
    #expect(throws: TokenMintError.unavailable) { try mint(ring) }
    let foreign = try mint(self.ring(try KeyFolder().store()))
    #expect(throws: CredentialError(.unavailable, reason: "")) { try ring.verifyIDToken(foreign, nowSeconds: now) }
    let place = folder.path + "/id-token-keys.pem"
    #expect(throws: KeyStoreError.notAFile(path: place, wanted: "")) { try ring.rotateIfDue(nowSeconds: now).get() }
    rmdir(folder.path + "/id-token-keys.pem")
    #expect(throws: Never.self) { try ring.verifyIDToken(mint(ring), nowSeconds: now) }
  }

  @Test("a second store on the folder, such as a command's, creates missing keys, and both use the same")
  func command() async throws {
    remove("legacy-secrets", "id-token-keys.pem", "session-cookie-keys.pem")
    let stores = try [KeyStore(directory: folder.path), KeyStore(directory: folder.path)]
    let rings = stores.map(ring)
    let (now, subject) = (now, IDTokenSubject(uid: "u", signInProvider: "custom", authTimeSeconds: now))
    let first = BlockingCall { try rings[0].rotateIfDue(nowSeconds: now).get() }
    let second = BlockingCall { try rings[1].mintIDToken(subject, issuedAtSeconds: now) }
    _ = try await first.value()
    let token = try await second.value()
    #expect(throws: Never.self) { try rings[0].verifyIDToken(token, nowSeconds: now) }
    #expect(stores[0].legacySecrets.active == stores[1].legacySecrets.active)
    for kind in KeyKind.allCases { #expect(rings[0].list(kind).map(\.kid) == rings[1].list(kind).map(\.kid)) }
  }

  @Test("files that root creates in another user's folder belong to that user", .enabled(if: geteuid() == 0))
  func owner() throws {
    remove("legacy-secrets", "id-token-keys.pem")
    for name in ["", "/session-cookie-keys.pem", "/minting-key.pem"] { chown(folder.path + name, 65_534, 65_534) }
    _ = try KeyStore(directory: folder.path).keys(.idToken)
    for name in ["legacy-secrets", "admin-token", "id-token-keys.pem"] {
      var status = stat()
      #expect(stat(folder.path + "/" + name, &status) == 0 && status.st_uid == 65_534 && status.st_gid == 65_534)
    }
  }

  private func folderText(_ name: String) throws -> [UInt8] {
    let file = open(folder.path + "/" + name, O_RDONLY)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    return Array(bytes[..<read(file, &bytes, bytes.count)])
  }
}
