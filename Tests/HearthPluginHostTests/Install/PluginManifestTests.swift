import HearthPlugin
import HearthTree
import Testing

@testable import HearthPluginHost

@Suite struct PluginManifestTests {
  static let members: [(String, String)] = [
    ("name", "\"api-keys\""), ("version", "\"1.0.0\""), ("protocol", "1"), ("command", "[\"python3\",\"./main.py\"]"),
    ("hooks", "[\"exchange\"]"), ("provider", "{\"id\":\"apikey\"}"),
  ]

  static func read(_ changes: [String: String?] = [:]) throws -> PluginManifest {
    var members = Self.members.filter { changes[$0.0] == nil }
    for change in changes { if let value = change.value { members.append((change.key, value)) } }
    let text = "{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
    return try PluginManifest(Array(text.utf8))
  }

  @Test("a minimal manifest is read with defaults")
  func plain() throws {
    let manifest = try Self.read()
    #expect(manifest.name == "api-keys")
    #expect(manifest.hooks == [.exchange])
    #expect(manifest.provider == ProviderManifest(id: "apikey", displayName: "apikey", methods: [.credential]))
    #expect(manifest.requirements.workers == 1)
  }

  @Test(
    "invalid manifests are refused with their place",
    arguments: [
      ("name", "\"../x\""), ("name", "\"A\""), ("name", "\"\""), ("version", "\"..\""), ("version", "\"1/2\""),
      ("protocol", "2"), ("command", "[]"), ("command", "[\"bin/x\"]"), ("command", "[\"x\",\"./../y\"]"),
      ("command", "\"\""), ("hooks", "[]"), ("hooks", "[\"rule\"]"), ("hooks", "[\"exchange\",\"exchange\"]"),
      ("provider", "{\"id\":\"a b\"}"), ("wants", "{\"workers\":17}"), ("wants", "{\"deadlineMilliseconds\":10001}"),
      ("settings", "{\"a\":{\"type\":\"what\"}}"), ("settings", "{\"a=b\":{\"type\":\"text\"}}"),
      ("settings", "{\"a\":{\"type\":\"text\",\"default\":1}}"), ("unknown", "1"),
    ])
  func refused(name: String, value: String) {
    #expect {
      try Self.read([name: value])
    } throws: { error in
      "\(error)".contains("plugin.json.\(name)")
    }
  }

  static let verifying: [String: String?] = [
    "hooks": "[\"verifyToken\"]", "provider": nil,
    "settings": #"{"issuer":{"type":"text"},"more":{"type":"list"},"key":{"type":"text","isSecret":true}}"#,
  ]

  @Test("the token issuers of a plugin are named in the manifest or by settings")
  func verifies() throws {
    let manifest = try Self.read(
      Self.verifying.merging(
        ["verifies": #"{"issuers":["https://a/*","$issuer","$more"],"opaquePrefixes":["sess_"]}"#],
        uniquingKeysWith: { $1 }))
    let rule = try #require(manifest.verifies)
    #expect(
      rule.selection(.object([.init("issuer", .string("https://b")), .init("more", .array([.string("c"), .int(1)]))]))
        == TokenSelection(issuers: ["https://a/*", "https://b", "c"], opaquePrefixes: ["sess_"]))
    // An empty setting does not select all tokens.
    #expect(rule.selection(.object([.init("issuer", .string(""))])).issuers == ["https://a/*"])
    #expect(try Self.read().verifies == nil)
  }

  @Test(
    "a verifier must name its issuers, and no other plugin may",
    arguments: [
      nil, "{}", #"{"issuers":[]}"#, #"{"issuers":["$nothing"]}"#, #"{"issuers":["$key"]}"#, #"{"issuers":["a b"]}"#,
      #"{"issuers":[1]}"#, #"{"tokens":["a"]}"#,
    ])
  func verifiesNothing(text: String?) {
    #expect(throws: PluginProblem.self) {
      try Self.read(Self.verifying.merging(["verifies": text], uniquingKeysWith: { $1 }))
    }
    #expect(throws: PluginProblem.self) { try Self.read(["verifies": #"{"issuers":["a"]}"#]) }
  }

  @Test("a sign-in plugin needs a provider, and no other plugin has one")
  func provider() {
    #expect(throws: PluginProblem.self) { try Self.read(["provider": nil]) }
    #expect(throws: PluginProblem.self) { try Self.read(["hooks": "[\"sendMail\"]"]) }
  }

  @Test("a rules language plugin needs file extensions, and no other plugin has them")
  func language() throws {
    let changes = ["hooks": "[\"rulesSource\"]", "provider": nil]
    let manifest = try Self.read(changes.merging(["rules": "{\"extensions\":[\"bolt\",\"b2\"]}"]) { $1 })
    let rules = try #require(manifest.rules)
    #expect(rules.takes("a/app.bolt") && rules.takes("App.B2"))
    #expect(!rules.takes("bolt") && !rules.takes("a.bolt/rules.json") && !rules.takes("a.bolt2"))
    #expect(throws: PluginProblem.self) { try Self.read(changes) }
    #expect(throws: PluginProblem.self) { try Self.read(["rules": "{\"extensions\":[\"bolt\"]}"]) }
    for bad in ["[]", "[\"json\"]", "[\".bolt\"]", "[\"BOLT\"]", "[\"a/b\"]", "[\"\"]"] {
      let rules = changes.merging(["rules": "{\"extensions\":\(bad)}"]) { $1 }
      #expect(throws: PluginProblem.self, "\(bad)") { try Self.read(rules) }
    }
  }
}
