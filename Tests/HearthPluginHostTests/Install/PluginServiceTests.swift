import HearthCrypto
import HearthTree
import Testing

@testable import HearthPluginHost

/// Tests of plugins as web services: their manifests, the operator's settings, and their secrets.
@Suite struct PluginServiceTests {
  static func manifest(_ members: String) throws -> PluginManifest {
    try PluginManifest(Array(#"{"name":"p","version":"1","protocol":1,"hooks":["beforeSignIn"],\#(members)}"#.utf8))
  }

  @Test("a service has a URL in place of a command, and limits of its own")
  func manifests() throws {
    let manifest = try Self.manifest(
      #""url":"https://p.example.com/a?b","authority":"./ca.pem","wants":{"connections":3,"deadlineMilliseconds":100}"#)
    #expect(
      manifest.carrier == .webhook(PluginService(url: "https://p.example.com/a?b", authority: "./ca.pem")))
    #expect(manifest.carrier.files == ["./ca.pem"])
    #expect(manifest.requirements.connections == 3)
  }

  @Test(
    "an invalid manifest of a service is refused",
    arguments: [
      #""url":"ftp://p.example.com/""#, #""url":"https://p.example.com/ x""#, #""url":7"#,
      #""url":"https://p.example.com/","command":["./a"]"#, #""command":["./a"],"authority":"./ca.pem""#,
      #""url":"https://p.example.com/","authority":"ca.pem""#,
      #""url":"https://p.example.com/","authority":"./../ca.pem""#,
      #""url":"https://p.example.com/","wants":{"workers":2}"#,
      #""url":"https://p.example.com/","wants":{"connections":65}"#,
    ])
  func refused(members: String) {
    #expect(throws: PluginProblem.self) { try Self.manifest(members) }
  }

  private static func install(
    _ url: String, into folder: TemporaryFolder, allowsPrivate: Bool = false
  ) throws -> PluginFolder {
    try folder.write(
      "source/plugin.json",
      #"{"name":"p","version":"1","protocol":1,"hooks":["beforeSignIn"],"url":"\#(url)"}"#)
    let plugins = PluginFolder(dataDirectory: folder.path + "/data")
    try plugins.add(try PluginPackage(folder.path + "/source"), allowsPrivate: allowsPrivate)
    return plugins
  }

  @Test("a URL without TLS is allowed for this machine, or by the operator, which is stored with the version")
  func addresses() throws {
    let folder = TemporaryFolder()
    #expect(throws: PluginProblem.self) { try Self.install("http://p.example.com/", into: folder) }
    let plugins = try Self.install("http://p.example.com/", into: folder, allowsPrivate: true)
    #expect(plugins.plugin("p").version?.allowsPrivate == true)
    let other = TemporaryFolder()
    let local = try Self.install("http://127.0.0.1:1/", into: other).plugin("p")
    withExtendedLifetime((folder, other)) { #expect(local.version?.allowsPrivate == false) }
  }

  @Test("a service without a secret does not run; with a new secret only the previous one stays valid for a time")
  func secrets() throws {
    let folder = TemporaryFolder()
    let plugins = try Self.install("https://p.example.com/", into: folder)
    defer { withExtendedLifetime(folder) {} }
    #expect(plugins.plugin("p").problem?.contains("rotate-secret p") == true)
    let made = try (0..<3).map { _ in try WebhookSecret(random: .system) }
    try plugins.setSecret(made[0], of: "p", overlapMilliseconds: 1_000, now: 5_000)
    #expect(plugins.plugin("p").problem == nil)
    try plugins.setSecret(made[1], of: "p", overlapMilliseconds: 1_000, now: 5_000)
    let kept = plugins.plugin("p").secrets
    #expect(kept == [PluginSecret(secret: made[1]), PluginSecret(secret: made[0], endMilliseconds: 6_000)])
    #expect(kept.map { $0.counts(now: 5_999) } == [true, true])
    #expect(kept.map { $0.counts(now: 6_000) } == [true, false])
    try plugins.setSecret(made[2], of: "p", overlapMilliseconds: 1_000, now: 5_500)
    #expect(plugins.plugin("p").secrets.map(\.secret) == [made[2], made[1]])
    // When it is set again, it stays the only secret.
    try plugins.setSecret(made[2], of: "p", overlapMilliseconds: 1_000, now: 5_500)
    #expect(plugins.plugin("p").secrets == [PluginSecret(secret: made[2])])
    #expect(!"\(plugins.plugin("p"))".contains(made[2].text))
  }
}
