import Foundation
import HearthSystem
import HearthTree
import Logging
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct SettingsStoreTests {
  private static func store(_ folder: TemporaryFolder, _ log: LogRecorder = LogRecorder()) -> SettingsStore {
    SettingsStore(files: LocalFileStore(folder: folder.path + "/settings"), logger: Logger(label: "test") { _ in log })
  }

  @Test("settings survive a restart")
  func lasting() throws {
    let folder = try TemporaryFolder()
    let store = Self.store(folder)
    #expect(try store.settings(of: "a").defaultWriteSizeLimit == "large")
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/settings"))
    try store.change("a") { settings throws(RESTFailure) in
      settings.defaultWriteSizeLimit = "small"
      settings.isTriggerValidationStrict = false
      settings.keep(Ruleset(id: "one", createdAtMilliseconds: 1_700_000_000_123, source: "{\n// é\n}"))
      (settings.stableRuleset, settings.canaryRuleset) = ("one", "two")
      try settings.register(.object([.init("name", .string("f")), .init("path", .string("/x/{id}"))]))
    }
    let read = try Self.store(folder).settings(of: "a")
    #expect(read.text == (try store.settings(of: "a").text))
    #expect(read.defaultWriteSizeLimit == "small" && !read.isTriggerValidationStrict)
    #expect(read.ruleset("one")?.source == "{\n// é\n}" && read.ruleset("two") == nil)
    #expect(read.ruleset("one")?.json["createdAt"]?.string == "2023-11-14T22:13:20.123Z")
    #expect(read.stableRuleset == "one" && read.canaryRuleset == "two")
    #expect(read.functionTriggers.map { $0["path"]?.string } == ["/x/{id}"])
    #expect(try Self.store(folder).settings(of: "b").rulesets.isEmpty)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/settings/a.json")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("a refused change has no effect")
  func refusal() throws {
    let folder = try TemporaryFolder()
    let store = Self.store(folder)
    #expect(throws: RESTFailure.notFound) {
      try store.change("a") { settings throws(RESTFailure) in
        settings.defaultWriteSizeLimit = "small"
        throw .notFound
      }
    }
    #expect(try store.settings(of: "a").defaultWriteSizeLimit == "large")
  }

  @Test("a damaged file is left as it is", arguments: ["", "{}", "[1", "{\"defaultWriteSizeLimit\":\"large\"}"])
  func damage(text: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/settings", withIntermediateDirectories: false)
    let path = folder.path + "/settings/a.json"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let log = LogRecorder()
    let store = Self.store(folder, log)
    #expect(throws: RESTFailure(500, "The settings of the database are damaged.")) {
      try store.change("a") { $0.defaultWriteSizeLimit = "small" }
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    #expect(log.lines.contains { $0.hasPrefix("error settings are damaged") && $0.contains(path) })
  }

  @Test("an unwritable folder is an error and loses no settings")
  func unwritable() throws {
    let folder = try TemporaryFolder()
    try "in the way".write(toFile: folder.path + "/settings", atomically: false, encoding: .utf8)
    let store = Self.store(folder)
    #expect(throws: (any Error).self) { try store.change("a") { $0.defaultWriteSizeLimit = "small" } }
    #expect(throws: (any Error).self) { try store.settings(of: "a") }
  }

  @Test("the oldest unreferenced rule sets are removed when there are too many")
  func rulesets() {
    var settings = DatabaseSettings()
    let megabyte = String(repeating: " ", count: 1 << 20)
    for i in 0..<20 {
      settings.keep(Ruleset(id: "r\(i)", createdAtMilliseconds: Int64(i), source: megabyte))
      if i == 0 { settings.stableRuleset = "r0" }
      if i == 3 { settings.canaryRuleset = "r3" }
    }
    #expect(settings.rulesets.map(\.id) == ["r0", "r3"] + (6..<20).map { "r\($0)" })
    // A single rule set over the limit stays, because it was stored on request.
    settings = DatabaseSettings()
    settings.keep(Ruleset(id: "x", createdAtMilliseconds: 0, source: String(repeating: megabyte, count: 17)))
    #expect(settings.rulesets.count == 1)
  }

  @Test("a function has one trigger, and triggers are bounded")
  func triggers() throws {
    var settings = DatabaseSettings()
    func trigger(_ name: String, _ path: String) -> JSON {
      .object([.init("name", .string(name)), .init("path", .string(path))])
    }
    // Two names that look the same but have different bytes.
    try settings.register(trigger("\u{e9}", "a"))
    try settings.register(trigger("e\u{301}", "b"))
    try settings.register(trigger("\u{e9}", "c"))
    #expect(settings.functionTriggers.map { $0["path"]?.string } == ["c", "b"])
    for i in 2..<DatabaseSettings.triggersMax { try settings.register(trigger("f\(i)", "")) }
    #expect(throws: RESTFailure.self) { try settings.register(trigger("more", "")) }
    try settings.register(trigger("f5", "d"))
    #expect(settings.functionTriggers.count == DatabaseSettings.triggersMax)
  }

  @Test(
    "times have milliseconds and a zone",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_007, "2000-02-29T00:00:00.007Z"),
    ] as [(Int64, String)])
  func times(milliseconds: Int64, text: String) {
    #expect(Timestamp.text(milliseconds: milliseconds) == text)
  }
}
