import Foundation
import HearthPlugin
import HearthTree
import Testing

@Suite struct SettingsReaderTests {
  static func reader(_ json: String, names: [String] = ["a", "b", "aFile"]) throws -> SettingsReader {
    try SettingsReader(try #require(JSON(parsing: json.utf8)), at: "here", names: names)
  }

  @Test("members are read by type")
  func kinds() throws {
    let reader = try Self.reader(#"{"a": "text", "b": null}"#)
    #expect(try reader.text("a") == "text")
    #expect(try reader.texts("a") == ["text"])
    #expect(try reader.text("b") == nil)
    #expect(try Self.reader(#"{"a": 3}"#).int("a", in: 1...3) == 3)
    #expect(try Self.reader(#"{"a": true}"#).bool("a") == true)
    #expect(try Self.reader(#"{"a": ["x", "y"]}"#).texts("a") == ["x", "y"])
    #expect(try Self.reader(#"{"a": {"b": 1}}"#).object("a", names: ["b"])?.place == "here.a")
    #expect(
      try Self.reader(#"{"a": [{"b": 1}, {}]}"#).objects("a", names: ["b"]).map(\.place) == ["here.a[0]", "here.a[1]"])
  }

  @Test("an error names the member and the expected value")
  func errors() throws {
    #expect(throws: SettingsError.self) { try Self.reader("[]") }
    let unknown = #expect(throws: SettingsError.self) { try Self.reader(#"{"c": 1}"#) }
    #expect(unknown?.description == "here.c: is not a known setting; the settings are a, b, aFile")
    let twice = #expect(throws: SettingsError.self) { try Self.reader(#"{"a": 1, "a": 2}"#) }
    #expect(twice?.place == "here.a")
    #expect(throws: SettingsError.self) { try Self.reader(#"{"a": ""}"#).text("a") }
    #expect(throws: SettingsError.self) { try Self.reader("{}").requiredText("a") }
    #expect(throws: SettingsError.self) { try Self.reader(#"{"a": "true"}"#).bool("a") }
    #expect(throws: SettingsError.self) { try Self.reader(#"{"a": ["x", 1]}"#).texts("a") }
    for number in ["0", "4", "1.5", "1e19", "\"2\""] {
      #expect(throws: SettingsError.self) { try Self.reader("{\"a\": \(number)}").int("a", in: 1...3) }
    }
  }

  @Test("a secret is in the settings or in a file, not in both")
  func secrets() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-secret-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("s3cret\r\nrest\n".utf8).write(to: file)
    #expect(try Self.reader("{\"aFile\": \"\(file.path)\"}").secret("a") == "s3cret")
    #expect(try Self.reader(#"{"a": "direct"}"#).requiredSecret("a") == "direct")
    #expect(throws: SettingsError.self) { try Self.reader("{\"a\": \"x\", \"aFile\": \"\(file.path)\"}").secret("a") }
    #expect(throws: SettingsError.self) { try Self.reader("{}").requiredSecret("a") }
    #expect(throws: SettingsError.self) { try Self.reader(#"{"aFile": "/nonexistent/file"}"#).secret("a") }
    try Data().write(to: file)
    #expect(throws: SettingsError.self) { try Self.reader("{\"aFile\": \"\(file.path)\"}").secret("a") }
  }
}
