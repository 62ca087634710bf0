import Synchronization
import Testing

@testable import HearthCrypto

@Suite("Keys that several servers share")
struct SharedKeysTests {
  /// A store for shared keys in memory.
  final class MemoryKeyStore: SharedKeyStore {
    struct State {
      var text: String?
      var writeCount = 0
      /// A change by another server before the next write.
      var faster: String?
      var problem: KeyStoreError?
    }

    let state = Mutex(State())

    func read() throws(KeyStoreError) -> String? { state.withLock { $0.text } }

    func write(_ text: String, over expected: String?) throws(KeyStoreError) -> Bool {
      try state.withLock { (state) throws(KeyStoreError) in
        if let problem = state.problem { throw problem }
        if let faster = state.faster { (state.text, state.faster) = (faster, nil) }
        guard state.text == expected else { return false }
        (state.text, state.writeCount) = (text, state.writeCount + 1)
        return true
      }
    }
  }

  /// Returns two servers whose folders are copies, as for the nodes of a cluster.
  private static func servers() throws -> (KeyRing, KeyRing, folders: [KeyFolder]) {
    let (one, other) = (KeyFolder(), KeyFolder())
    let store = try one.store()
    for name in ["legacy-secrets", "sealing-key", "admin-token"] { other.write(try text(of: one, name), to: name) }
    return (KeyRing(store: store, projectID: KeyFolder.projectID), try other.ring(), [one, other])
  }

  private static func text(of folder: KeyFolder, _ name: String) throws -> String {
    let files = try PrivateFolder(path: folder.path, createsMissing: false)
    return try #require(try files.existing(name, parse: { $0 }))
  }

  private let now = TokenForge.now
  private var subject: IDTokenSubject { IDTokenSubject(uid: "alice", signInProvider: "password", authTimeSeconds: now) }

  @Test("A key that one server creates is valid on the other, and a removed one on neither")
  func rotated() throws {
    let (one, other, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    for ring in [one, other] { try ring.share(in: memory) }
    let old = one.list(.idToken)[0].kid
    let new = try one.rotate(.idToken, nowSeconds: now, isUrgent: true)
    #expect(try other.loadShared() == RemovedKeys())
    #expect(other.list(.idToken).map(\.kid) == [new.kid, old])
    let token = try one.mintIDToken(subject, issuedAtSeconds: now)
    #expect(try other.verifyIDToken(token, nowSeconds: now).keyID == new.kid)
    try one.remove(.idToken, kid: old)
    #expect(try other.loadShared().keyIDs == [old])
    #expect(other.list(.idToken).map(\.kid) == [new.kid])
    // A server's folder contains the shared keys when it restarts.
    #expect(try folders[1].ring().list(.idToken).map(\.kid) == [new.kid])
    #expect(try other.loadShared() == RemovedKeys())
    #expect(memory.state.withLock { $0.text }?.contains("PRIVATE") == false)
  }

  @Test("Secrets are shared as well, and a removed one is reported as lost")
  func secrets() throws {
    let (one, other, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    for ring in [one, other] { try ring.share(in: memory) }
    for _ in 0..<2 { try other.rotateLegacySecret() }
    #expect(try one.loadShared() == RemovedKeys() && one.legacySecrets.active == other.legacySecrets.active)
    try one.rotateLegacySecret()
    #expect(try other.loadShared() == RemovedKeys(keyIDs: [], hasSecret: true))
    withExtendedLifetime(folders) {}
  }

  @Test("A change of keys includes a concurrent change by another server")
  func faster() throws {
    let (one, other, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    for ring in [one, other] { try ring.share(in: memory) }
    let first = one.list(.idToken)[0].kid
    let theirs = try other.rotate(.idToken, nowSeconds: now, isUrgent: true).kid
    let text = memory.state.withLock { state in
      defer { state.text = nil }
      return state.text
    }
    // The other server's change comes between reading and writing.
    memory.state.withLock { $0.faster = text }
    let ours = try one.rotate(.idToken, nowSeconds: now, isUrgent: true).kid
    #expect(one.list(.idToken).map(\.kid) == [ours, theirs, first])
    try other.loadShared()
    #expect(other.list(.idToken).map(\.kid) == [ours, theirs, first])
    withExtendedLifetime(folders) {}
  }

  @Test("A change of keys reports the keys that another server removed before")
  func lostInAChange() throws {
    let (one, other, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    let lost = Mutex<[RemovedKeys]>([])
    try one.share(in: memory)
    try other.share(in: memory) { found in lost.withLock { $0.append(found) } }
    let old = one.list(.idToken)[0].kid
    try one.rotate(.idToken, nowSeconds: now, isUrgent: true)
    try one.remove(.idToken, kid: old)
    try other.rotateLegacySecret()
    #expect(lost.withLock { $0 } == [RemovedKeys(keyIDs: [old], hasSecret: false)])
    #expect(try other.loadShared() == RemovedKeys() && lost.withLock { $0.count } == 1)
    withExtendedLifetime(folders) {}
  }

  @Test("Changes that cannot be shared are refused")
  func refused() throws {
    let (one, _, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    try one.share(in: memory)
    // The first server to check stores the shared keys.
    _ = one.rotateIfDue(nowSeconds: now)
    let written = memory.state.withLock { $0.writeCount }
    #expect(written > 0)
    let (kept, before) = (try Self.text(of: folders[0], "id-token-keys.pem"), one.list(.idToken).map(\.kid))
    memory.state.withLock { $0.problem = .inputOutput(path: "p", action: "write", reason: "nobody is there") }
    #expect(throws: KeyStoreError.self) { try one.rotate(.idToken, nowSeconds: now, isUrgent: true) }
    #expect(one.list(.idToken).map(\.kid) == before)
    #expect(try Self.text(of: folders[0], "id-token-keys.pem") == kept)
    // Without a change there is no write.
    #expect(one.rotateIfDue(nowSeconds: now) == .success(false))
    #expect(memory.state.withLock { $0.writeCount } == written)
  }

  @Test("Keys that are sealed with another key, or damaged, are refused")
  func foreign() throws {
    let (one, _, folders) = try Self.servers()
    let memory = MemoryKeyStore()
    try one.share(in: memory)
    _ = one.rotateIfDue(nowSeconds: now)
    let stranger = KeyFolder()
    #expect(throws: KeyStoreError.foreignSealingKey(path: stranger.path)) { try stranger.ring().share(in: memory) }
    let store = try folders[0].store()
    for text in ["", "hearth keys 1\n", "hearth keys 1\nlegacy-secrets 9999999999999999999\nx", "hearth keys 2\n"] {
      let sealed = try store.sealingKey.seal(Array(text.utf8), for: "the keys that servers share", random: .system)
      memory.state.withLock { $0.text = sealed }
      #expect(throws: KeyStoreError.self) { try one.loadShared() }
    }
  }

  @Test("A bundle is decoded as it was encoded, and every prefix of it is refused")
  func bundle() {
    let names = ["a", "b"]
    let bundle = KeyBundle([("a", "one\n"), ("b", "")])
    let text = bundle.text
    #expect(text == "hearth keys 1\na 4\none\nb 0\n" && KeyBundle(text: text, names: names) == bundle)
    for count in 0..<text.count { #expect(KeyBundle(text: String(text.prefix(count)), names: names) == nil) }
    for other in [text + "\n", text.replacing("a 4", with: "a -4"), text.replacing("b 0", with: "c 0"), text + "é"] {
      #expect(KeyBundle(text: other, names: names) == nil)
    }
    #expect(KeyBundle(text: text, names: ["a"]) == nil)
  }
}
