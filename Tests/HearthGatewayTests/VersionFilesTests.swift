import Foundation
import HearthSystem
import Logging
import ServerTestKit
import Testing

@testable import HearthGateway

@Suite struct VersionFilesTests {
  private static func files(_ folder: TemporaryFolder, _ log: LogRecorder = LogRecorder()) -> VersionFiles {
    VersionFiles(files: LocalFileStore(folder: folder.path + "/rules"), logger: Logger(label: "test") { _ in log })
  }

  private static let change = RulesChange(
    author: RulesAuthor(kind: .serviceAccount, name: "ci@x"), cause: .promote, comment: "é\n", tool: "t", original: 3,
    watch: RollbackBounds(endMilliseconds: 9, formerID: 2, denialsMax: 5, cancelledMax: 0))

  @Test("a version survives a restart, with its text and metadata")
  func lasting() throws {
    let folder = try TemporaryFolder()
    let files = Self.files(folder)
    #expect(try files.versions(of: "a").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/rules"))
    let first = try files.add("{\"rules\":{}} // é\n", Self.change, at: 1_700_000_000_123, to: "a")
    let second = try files.add("other", RulesChange(author: .unknown), at: 5, to: "a")
    #expect([first.id, second.id] == [1, 2])
    let again = Self.files(folder)
    #expect(try again.versions(of: "a") == [first, second])
    #expect(try again.source(of: first, in: "a") == "{\"rules\":{}} // é\n")
    #expect(try again.versions(of: "b").isEmpty)
    #expect(first.json["time"]?.string == "2023-11-14T22:13:20.123Z" && first.json["sizeBytes"]?.int == 19)
    #expect(
      second.json["sha256"]?.string == "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/rules/a/1.json")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("at most a hundred versions are kept, and the oldest are removed")
  func count() throws {
    let folder = try TemporaryFolder()
    let files = Self.files(folder)
    for number in 1...VersionFiles.countMax + 5 {
      _ = try files.add("\(number)", RulesChange(author: .unknown), at: 0, to: "a")
    }
    #expect(try files.versions(of: "a").map(\.id) == (6...105).map { $0 })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/rules/a").count == 100)
    #expect(try Self.files(folder).versions(of: "a").count == 100)
  }

  @Test("large versions are removed before there are a hundred, and three are kept whatever their size")
  func bytes() throws {
    let folder = try TemporaryFolder()
    let files = Self.files(folder)
    for size in [10, 6_000_000, 6_000_000, 6_000_000] {
      _ = try files.add(String(repeating: " ", count: size), RulesChange(author: .unknown), at: 0, to: "a")
    }
    #expect(try files.versions(of: "a").map(\.id) == [2, 3, 4])
  }

  @Test("a damaged version is kept and reported, and its number is not reused", arguments: ["", "{}", "flipped"])
  func damage(text: String) throws {
    let folder = try TemporaryFolder()
    let files = Self.files(folder)
    let first = try files.add("one", RulesChange(author: .unknown), at: 0, to: "a")
    let second = try files.add("two", RulesChange(author: .unknown), at: 0, to: "a")
    let path = folder.path + "/rules/a/2.json"
    let damaged =
      text == "flipped"
      ? try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(of: "two", with: "tow") : text
    try damaged.write(toFile: path, atomically: false, encoding: .utf8)
    // The partial file of a version that was being written during a crash.
    try "half".write(toFile: folder.path + "/rules/a/3.json.new", atomically: false, encoding: .utf8)
    #expect(throws: RESTFailure.self) { try files.source(of: second, in: "a") }
    let log = LogRecorder()
    let again = Self.files(folder, log)
    #expect(try again.versions(of: "a") == [first])
    #expect(log.lines.contains { $0.hasPrefix("error a version of rules is damaged") && $0.contains(path) })
    #expect(try again.add("three", RulesChange(author: .unknown), at: 0, to: "a").id == 3)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == damaged)
  }

  @Test("a version that cannot be written is an error and is not listed")
  func unwritable() throws {
    let folder = try TemporaryFolder()
    let files = Self.files(folder)
    let first = try files.add("one", RulesChange(author: .unknown), at: 0, to: "a")
    // A folder in place of the next file.
    try FileManager.default.createDirectory(
      atPath: folder.path + "/rules/a/2.json/x", withIntermediateDirectories: true)
    #expect(throws: RESTFailure.self) { try files.add("two", RulesChange(author: .unknown), at: 0, to: "a") }
    #expect(try files.versions(of: "a") == [first])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/rules/a/2.json.new"))
  }
}
