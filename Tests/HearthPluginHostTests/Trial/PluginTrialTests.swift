import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

@Suite struct PluginTrialTests {
  static func problems(_ plugin: SamplePlugin) async throws -> [String: String] {
    let folder = TemporaryFolder()
    try plugin.write(to: folder)
    let trial = try PluginTrial(folder.path, settings: .object([]))
    let problems = Mutex<[String: String]>([:])
    let isGood = await trial.run { finding in problems.withLock { $0[finding.name] = finding.problem } }
    let found = problems.withLock { $0 }
    #expect(isGood == found.isEmpty)
    return found
  }

  @Test("a conforming plugin has no findings")
  func good() async throws {
    var plugin = SamplePlugin()
    plugin.output = "{\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}"
    #expect(try await Self.problems(plugin) == [:])
  }

  @Test("a plugin that allows everything, and one that does not end, have findings")
  func bad() async throws {
    let open = try await Self.problems(SamplePlugin())
    #expect(open["an empty object"] == "accepted the sign-in")
    #expect(open["a plain input"] == nil)
    var deaf = SamplePlugin()
    deaf.output = "{\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}"
    deaf.ending = "exec sleep 1000"
    #expect(try await Self.problems(deaf).keys.sorted() == ["ends by itself when it is stopped"])
  }

  @Test("a plugin that prints invalid messages, or ends at once, has findings")
  func worse() async throws {
    var chatty = SamplePlugin()
    chatty.output = "{\"refused\":{\"code\":\"INVALID_CREDENTIAL_OR_PROVIDER_ID\"}}}\ndebug {"
    #expect(try await !Self.problems(chatty).isEmpty)
    var dead = SamplePlugin()
    dead.beginning = "exit 4"
    #expect(try await Self.problems(dead)["sends hello"]?.contains("ended with code 4") == true)
  }
}
