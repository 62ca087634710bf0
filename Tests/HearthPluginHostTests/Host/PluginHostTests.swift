import Glibc
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct PluginHostTests {
  final class World: Sendable {
    let data = TemporaryFolder()
    let source = TemporaryFolder()
    let offered = Mutex(PluginSet())
    let lines = Mutex<[String]>([])
    let host: PluginHost

    init(own: Set<String> = []) {
      let box = Box()
      host = PluginHost(
        dataDirectory: data.path,
        .init(
          server: "tests", ownProviderIDs: own, apply: { box.world?.offered.set($0) },
          log: { box.world?.lines.add("\($1): \($2)") }))
      box.world = self
    }

    /// A weak reference that breaks the reference cycle between the host and the fixture.
    private final class Box: @unchecked Sendable { weak var world: World? }

    func add(_ plugin: SamplePlugin, isEnabled: Bool = true) throws {
      try plugin.write(to: source)
      try host.folder.add(try PluginPackage(source.path))
      try host.folder.setEnabled(plugin.name, isEnabled)
    }

    func answer() async throws -> SignInAnswer? {
      let request = SignInRequest(
        id: "1", providerID: "sample", method: .credential, operation: .signIn, parameters: [:],
        facts: ProviderFacts(projectID: "p", nowSeconds: 1))
      return try await offered.withLock { $0.providers.first }?.answer(request)
    }

    var states: [String: String] {
      Dictionary(uniqueKeysWithValues: host.statuses().map { ($0.name, $0.state) })
    }
  }

  @Test("a plugin is added, replaced, rolled back, disabled and removed while the host runs")
  func hot() async throws {
    let world = World()
    await world.host.reload()
    #expect(try await world.answer() == nil)
    try world.add(SamplePlugin())
    await world.host.reload()
    #expect(world.states == ["sample": "running"])
    #expect(try await world.answer() == .user(NamedUser(uid: "u1")))
    let held = try #require(world.offered.withLock { $0.providers.first as? PluginSignIn })
    try world.add(SamplePlugin(version: "2", output: "{\"user\":{\"uid\":\"u2\"}}"))
    await world.host.reload()
    #expect(try await world.answer() == .user(NamedUser(uid: "u2")))
    // A provider from before the change uses the new version.
    let answer: SignInAnswer = try await held.handle.ask(.exchange, JSON.object([]))
    #expect(answer == .user(NamedUser(uid: "u2")))
    try world.host.folder.rollBack("sample")
    await world.host.reload()
    #expect(try await world.answer() == .user(NamedUser(uid: "u1")))
    #expect(world.host.statuses()[0].hooks[0].requestCount == 1)
    try world.host.folder.setEnabled("sample", false)
    await world.host.reload()
    #expect(try await world.answer() == nil)
    #expect(world.states == ["sample": "disabled"])
    await world.host.stop()
    #expect(world.lines.withLock { $0 } == [])
  }

  @Test("a version that does not answer does not replace the running one")
  func badVersion() async throws {
    let world = World()
    try world.add(SamplePlugin())
    await world.host.reload()
    try world.add(SamplePlugin(version: "2", beginning: "echo broken >&2; exit 1"))
    await world.host.reload(restarting: nil)
    #expect(try await world.answer() == .user(NamedUser(uid: "u1")))
    #expect(world.host.statuses()[0].problem?.contains("version 1.0.0 goes on") == true)
    await world.host.stop()
  }

  @Test("a plugin with changed files does not run; its decisions are denials, and other requests continue")
  func closed() async throws {
    let world = World()
    try world.add(SamplePlugin(name: "judge", hooks: ["beforeSignIn"], output: "{\"allow\":{}}"))
    try world.add(SamplePlugin())
    await world.host.reload(waits: false)
    let event = HookEvent(
      id: "1", moment: .beforeSignIn, user: HookUser(uid: "u", createdAtMilliseconds: 1), isNewUser: false,
      signInProvider: "x", clientAddress: "")
    #expect(try await world.offered.withLock { $0.hooks }[0].decide(event) == .allow())
    chmod(world.host.folder.folder(of: "judge", version: "1.0.0"), 0o755)
    close(open(world.host.folder.folder(of: "judge", version: "1.0.0") + "/new", O_WRONLY | O_CREAT, 0o644))
    await world.host.reload()
    #expect(world.states == ["judge": "broken", "sample": "running"])
    let hook = world.offered.withLock { $0.hooks }[0]
    await #expect(throws: HookFailure.self) { try await hook.decide(event) }
    var creation = event
    creation.moment = .beforeCreate
    #expect(try await hook.decide(creation) == .allow())
    #expect(try await world.answer() != nil)
    await world.host.stop()
  }

  @Test("no plugin replaces the server's own sign-in, or another plugin's")
  func clashes() async throws {
    let world = World(own: ["google.com"])
    try world.add(SamplePlugin(name: "a", providerID: "google.com"))
    try world.add(SamplePlugin(name: "b", providerID: "x"))
    try world.add(SamplePlugin(name: "c", providerID: "x"))
    await world.host.reload()
    #expect(world.states == ["a": "broken", "b": "running", "c": "broken"])
    await world.host.stop()
  }

  @Test("an invalid answer, and one reserved for the server, are errors that name the plugin")
  func wrongAnswers() async throws {
    for output in ["{\"user\":{}}", "{\"password\":{\"email\":\"a\",\"password\":\"b\"}}", "7"] {
      let world = World()
      try world.add(SamplePlugin(output: output))
      await world.host.reload()
      await #expect {
        try await world.answer()
      } throws: { "\($0)".contains("plugin sample, asked for exchange, answered") }
      await world.host.stop()
    }
  }
}

extension Mutex where Value == [String] {
  borrowing func add(_ line: String) { withLock { $0.append(line) } }
}

extension Mutex where Value == PluginSet {
  borrowing func set(_ value: PluginSet) { withLock { $0 = value } }
}
