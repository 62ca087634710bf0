import HearthPlugin
import HearthTree
import Testing

@testable import HearthPluginHost

@Suite struct RulesSourceTests {
  static let source = RulesSource(fileName: "app.lang", text: "all")
  static let rules = #"{\"rules\":{\".read\":true}}"#

  static func plugin(_ output: String) -> SamplePlugin {
    var plugin = SamplePlugin()
    plugin.hooks = ["rulesSource"]
    plugin.members = ",\"rules\":{\"extensions\":[\"lang\"]}"
    plugin.output = output
    return plugin
  }

  static func answer(_ plugin: SamplePlugin) async throws -> RulesSourceAnswer {
    let folder = TemporaryFolder()
    try plugin.write(to: folder)
    return try await RulesSourcePlugin(folder: folder.path).translate(source)
  }

  @Test("answers have the form that the guide shows, and are encoded and decoded unchanged")
  func shapes() throws {
    let part = RulesSourcePart(offset: 10, line: 1, column: 2, width: 3)
    let rules = RulesSourceAnswer.rules(TranslatedRules(rules: "{}", map: [part]))
    let text = #"{"rules":"{}","map":[[10,1,2,3]]}"#
    #expect(String(decoding: try JSON(encoding: rules).text(), as: UTF8.self) == text)
    #expect(try #require(JSON(parsing: text.utf8)).decoded(as: RulesSourceAnswer.self) == rules)
    let mistakes = RulesSourceAnswer.mistakes([RulesSourceMistake(line: 1, column: 2, message: "No.", help: "Yes.")])
    #expect(try JSON(encoding: mistakes).decoded(as: RulesSourceAnswer.self) == mistakes)
  }

  @Test(
    "an answer without rules or errors is invalid",
    arguments: [
      "{}", #"{"mistakes":[]}"#, #"{"rules":"{}"}"#, #"{"rules":"{}","map":[[1,2,3]]}"#,
      #"{"rules":"{}","map":[],"mistakes":[{"line":1,"column":1,"message":"x"}]}"#, #"{"rules":{},"map":[]}"#,
    ])
  func refused(text: String) throws {
    let json = try #require(JSON(parsing: text.utf8))
    #expect(throws: DecodingError.self) { try json.decoded(as: RulesSourceAnswer.self) }
  }

  @Test("a plugin's process is called once, and its answer is returned")
  func asks() async throws {
    let rules = try await Self.answer(Self.plugin("{\"rules\":\"\(Self.rules)\",\"map\":[[9,1,1,3]]}"))
    let part = RulesSourcePart(offset: 9, line: 1, column: 1, width: 3)
    #expect(rules == .rules(TranslatedRules(rules: #"{"rules":{".read":true}}"#, map: [part])))
  }

  @Test("the error of a plugin that answers with something else, or ends, names the plugin")
  func fails() async throws {
    var dead = Self.plugin("{}")
    dead.beginning = "exit 3"
    for (plugin, words) in [
      (Self.plugin("{\"rules\":1}"), "returned an unexpected response"), (dead, "ended with code 3"),
    ] {
      await #expect {
        try await Self.answer(plugin)
      } throws: { error in
        "\(error)".contains("sample 1.0.0") && "\(error)".contains(words)
      }
    }
  }

  @Test("the plugin of a data folder is used for its file ending when it is enabled and intact")
  func installed() async throws {
    let (data, folder) = (TemporaryFolder(), TemporaryFolder())
    try Self.plugin("{\"mistakes\":[{\"line\":1,\"column\":1,\"message\":\"x\"}]}").write(to: folder)
    let plugins = PluginFolder(dataDirectory: data.path)
    try plugins.add(try PluginPackage(folder.path))
    func found(_ path: String) throws -> RulesSourcePlugin? {
      try RulesSourcePlugin(for: path, dataDirectory: data.path)
    }
    #expect(try found("a.lang") == nil)
    try plugins.setEnabled("sample", true)
    #expect(try found("a.bolt") == nil)
    let plugin = try #require(try found("a.lang"))
    #expect(try await plugin.translate(Self.source) == .mistakes([.init(line: 1, column: 1, message: "x")]))
    // Files that differ from the installed ones are not run.
    let installed = plugins.folder(of: "sample", version: "1.0.0")
    PluginFiles.remove("\(installed)/run.sh")
    #expect(throws: PluginProblem.self) { try found("a.lang") }
  }

  @Test("a server does not start a plugin that only translates rules files, and does not deny requests without it")
  func rests() async throws {
    let (data, folder) = (TemporaryFolder(), TemporaryFolder())
    try Self.plugin("{}").write(to: folder)
    let plugins = PluginFolder(dataDirectory: data.path)
    try plugins.add(try PluginPackage(folder.path))
    try plugins.setEnabled("sample", true)
    let host = PluginHost(
      dataDirectory: data.path,
      .init(server: "test", ownProviderIDs: [], apply: { #expect($0.hooks.isEmpty) }, log: { _, _, _ in }))
    await host.reload()
    let status = try #require(host.statuses().first)
    #expect(status.state == "on demand" && status.problem == nil)
    #expect(host.parts.withLock { $0 == nil })
    await host.stop()
  }
}
