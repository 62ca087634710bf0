import Foundation
import LiveServerKit
import ServerTestKit
import Testing

@testable import HearthClient

@Suite struct AuthSessionTests {
  @Test(
    "a session continues at the next start without a request; an ended one is removed",
    arguments: NetworkCondition.reliable)
  func restart(over network: NetworkCondition) async throws {
    try await AuthFixture.with(over: network) { fixture in
      let user = try await fixture.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
      let lookups = fixture.transport.count("accounts:lookup")
      let next = try fixture.another(store: fixture.store)
      let restored = try #require(next.currentUser)
      #expect(restored.uid == user.uid && restored.email == "ada@example.com" && restored !== user)
      #expect(restored.tokens == user.tokens && fixture.transport.count("accounts:lookup") == lookups)
      _ = try await restored.getIDToken(forcingRefresh: true)
      #expect(try fixture.another(store: fixture.store).currentUser?.tokens == restored.tokens)
      try next.signOut()
      #expect(try fixture.another(store: fixture.store).currentUser == nil)
    }
  }

  @Test("a session is sent to no other service than its own")
  func otherService() async throws {
    try await AuthFixture.with { fixture in
      try await fixture.auth.signInAnonymously()
      let transport = CountingTransport(URLSessionTransport.shared)
      let elsewhere = AuthFixture.auth(port: 1, store: fixture.store, transport: transport)
      #expect(elsewhere.currentUser == nil)
      let keyed = FirebaseOptions()
      keyed.apiKey = "another"
      let other = Auth(app: AuthFixture.app(keyed), store: fixture.store, transport: transport)
      other.useEmulator(withHost: "127.0.0.1", port: fixture.test.port)
      #expect(other.currentUser == nil)
      #expect(try fixture.another(store: fixture.store).currentUser != nil)
    }
  }

  @Test("a change of server drops the session of the former server")
  func changeOfServer() async throws {
    try await AuthFixture.with { fixture in
      try await fixture.auth.signInAnonymously()
      fixture.auth.useEmulator(withHost: "127.0.0.1", port: 1)
      #expect(fixture.auth.currentUser == nil)
      fixture.auth.useEmulator(withHost: "127.0.0.1", port: fixture.test.port)
      #expect(fixture.auth.currentUser != nil)
    }
  }

  @Test("the session file is accessible by its owner alone, in a folder of its owner alone, and replaced atomically")
  func file() throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.path).appendingPathComponent("a/b/session.json")
    let store = FileSessionStore(url: url)
    #expect(try store.load() == nil)
    try store.clear()
    // A umask of zero shows the mode of the created file.
    let mask = umask(0)
    defer { umask(mask) }
    for text in ["one", "two"] {
      let before = try? FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
      try store.save(Data(text.utf8))
      #expect(try store.load() == Data(text.utf8))
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(attributes[.systemFileNumber] as? Int != before)
    }
    let parent = url.deletingLastPathComponent()
    #expect(try FileManager.default.attributesOfItem(atPath: parent.path)[.posixPermissions] as? Int == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == ["session.json"])
    try store.clear()
    #expect(try store.load() == nil && FileManager.default.contentsOfDirectory(atPath: parent.path).isEmpty)
  }

  @Test("a file that others could read is closed to them; a link, a pipe and a huge file are not read as a session")
  func strangeFiles() throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.path).appendingPathComponent("session.json")
    let store = FileSessionStore(url: url)
    try Data("x".utf8).write(to: url)
    chmod(url.path, 0o644)
    #expect(try store.load() == Data("x".utf8))
    #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
    let target = folder.path + "/target"
    try FileManager.default.moveItem(atPath: url.path, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    #expect(throws: NSError.self) { try store.load() }
    // A save replaces the link, not its target.
    try store.save(Data("y".utf8))
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("x".utf8))
    #expect(try store.load() == Data("y".utf8))
    try store.clear()
    mkfifo(url.path, 0o600)
    #expect(throws: NSError.self) { try store.load() }
    unlink(url.path)
    try Data(count: FileSessionStore.fileBytesMax + 1).write(to: url)
    #expect(try store.load() == nil)
  }

  @Test(
    "a damaged session file holds no session",
    arguments: ["", "{", "null", #"{"version":2}"#, #"{"version":1,"user":{}}"#])
  func damaged(text: String) throws {
    let store = MemorySessionStore()
    try store.save(Data(text.utf8))
    #expect(AuthFixture.auth(port: 1, store: store).currentUser == nil)
  }

  @Test("signing in fails with an error when the session cannot be stored")
  func noPlace() async throws {
    try await AuthFixture.with { fixture in
      let folder = try TemporaryFolder()
      try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
      let url = URL(fileURLWithPath: folder.path + "/file/session.json")
      let auth = try fixture.another(store: FileSessionStore(url: url))
      #expect(await authCode { try await auth.signInAnonymously() } == .keychainError)
      #expect(auth.currentUser == nil)
    }
  }

  @Test("an app's own folder has the session file, named by app and service, unless a store is given")
  func defaultPlace() async throws {
    try await AuthFixture.with { fixture in
      let folder = try TemporaryFolder()
      let options = FirebaseOptions()
      options.storageDirectory = URL(fileURLWithPath: folder.path)
      options.authURL = "http://127.0.0.1:\(fixture.test.port)"
      let app = AuthFixture.app(options)
      let auth = Auth(app: app)
      auth.callbackQueue = DispatchQueue(label: "test")
      let user = try await auth.signInAnonymously().user
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix("auth-") && $0.hasSuffix(".json") })
      #expect(Auth(app: app).currentUser?.uid == user.uid)
      try auth.signOut()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }
}
