import Glibc
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct PluginHostTests {
  final class Fixture: Sendable {
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
          server: "tests", ownProviderIDs: own, apply: { box.fixture?.offered.set($0) },
          log: { box.fixture?.lines.add("\($1): \($2)") }))
      box.fixture = self
    }

    /// A weak reference that breaks the reference cycle between the host and the fixture.
    private final class Box: @unchecked Sendable { weak var fixture: Fixture? }

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
    let fixture = Fixture()
    await fixture.host.reload()
    #expect(try await fixture.answer() == nil)
    try fixture.add(SamplePlugin())
    await fixture.host.reload()
    #expect(fixture.states == ["sample": "running"])
    #expect(try await fixture.answer() == .user(NamedUser(uid: "u1")))
    let held = try #require(fixture.offered.withLock { $0.providers.first as? PluginSignIn })
    try fixture.add(SamplePlugin(version: "2", output: "{\"user\":{\"uid\":\"u2\"}}"))
    await fixture.host.reload()
    #expect(try await fixture.answer() == .user(NamedUser(uid: "u2")))
    // A provider from before the change uses the new version.
    let answer: SignInAnswer = try await held.handle.ask(.exchange, JSON.object([]))
    #expect(answer == .user(NamedUser(uid: "u2")))
    try fixture.host.folder.rollBack("sample")
    await fixture.host.reload()
    #expect(try await fixture.answer() == .user(NamedUser(uid: "u1")))
    #expect(fixture.host.statuses()[0].hooks[0].requestCount == 1)
    try fixture.host.folder.setEnabled("sample", false)
    await fixture.host.reload()
    #expect(try await fixture.answer() == nil)
    #expect(fixture.states == ["sample": "disabled"])
    await fixture.host.stop()
    #expect(fixture.lines.withLock { $0 } == [])
  }

  @Test("a version that does not answer does not replace the running one")
  func badVersion() async throws {
    let fixture = Fixture()
    try fixture.add(SamplePlugin())
    await fixture.host.reload()
    try fixture.add(SamplePlugin(version: "2", beginning: "echo broken >&2; exit 1"))
    await fixture.host.reload(restarting: nil)
    #expect(try await fixture.answer() == .user(NamedUser(uid: "u1")))
    #expect(fixture.host.statuses()[0].problem?.contains("version 1.0.0 keeps running") == true)
    await fixture.host.stop()
  }

  @Test("a plugin with changed files does not run; its decisions are denials, and other requests continue")
  func closed() async throws {
    let fixture = Fixture()
    try fixture.add(SamplePlugin(name: "judge", hooks: ["beforeSignIn"], output: "{\"allow\":{}}"))
    try fixture.add(SamplePlugin())
    await fixture.host.reload(waits: false)
    let event = HookEvent(
      id: "1", moment: .beforeSignIn, user: HookUser(uid: "u", createdAtMilliseconds: 1), isNewUser: false,
      signInProvider: "x", clientAddress: "")
    #expect(try await fixture.offered.withLock { $0.hooks }[0].decide(event) == .allow())
    chmod(fixture.host.folder.folder(of: "judge", version: "1.0.0"), 0o755)
    close(open(fixture.host.folder.folder(of: "judge", version: "1.0.0") + "/new", O_WRONLY | O_CREAT, 0o644))
    await fixture.host.reload()
    #expect(fixture.states == ["judge": "broken", "sample": "running"])
    let hook = fixture.offered.withLock { $0.hooks }[0]
    await #expect(throws: HookFailure.self) { try await hook.decide(event) }
    var creation = event
    creation.moment = .beforeCreate
    #expect(try await hook.decide(creation) == .allow())
    #expect(try await fixture.answer() != nil)
    await fixture.host.stop()
  }

  @Test("no plugin replaces the server's own sign-in, or another plugin's")
  func clashes() async throws {
    let fixture = Fixture(own: ["google.com"])
    try fixture.add(SamplePlugin(name: "a", providerID: "google.com"))
    try fixture.add(SamplePlugin(name: "b", providerID: "x"))
    try fixture.add(SamplePlugin(name: "c", providerID: "x"))
    await fixture.host.reload()
    #expect(fixture.states == ["a": "broken", "b": "running", "c": "broken"])
    await fixture.host.stop()
  }

  @Test("an invalid answer, and one reserved for the server, are errors that name the plugin")
  func wrongAnswers() async throws {
    for output in ["{\"user\":{}}", "{\"password\":{\"email\":\"a\",\"password\":\"b\"}}", "7"] {
      let fixture = Fixture()
      try fixture.add(SamplePlugin(output: output))
      await fixture.host.reload()
      await #expect {
        try await fixture.answer()
      } throws: { "\($0)".contains("plugin sample, called for exchange, returned") }
      await fixture.host.stop()
    }
  }
}

extension Mutex where Value == [String] {
  borrowing func add(_ line: String) { withLock { $0.append(line) } }
}

extension Mutex where Value == PluginSet {
  borrowing func set(_ value: PluginSet) { withLock { $0 = value } }
}
