import HearthDatabase
import HearthEngine
import HearthGateway
import HearthSQLite
import HearthSystem
import Logging
import ServerTestKit
import Synchronization
import Testing

@testable import HearthServer

/// Tests of shared files over a database of this process alone; the acceptance tests cover several nodes.
@Suite("files that nodes share")
struct SharedFilesTests {
  private let folder: TemporaryFolder
  private let log = LogRecorder()

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SharedFiles {
    try SharedFiles(
      folder: folder.path + "/data", clock: { SystemClock.now }, logger: Logger(label: "test") { [log] _ in log },
      notice: { _ in },
      open: {
        try Database(
          name: SharedFiles.journalName, journals: SQLiteJournals(folder: folder.path), initialRules: .denyAll,
          environment: $0)
      })
  }

  private static func text(_ files: SharedFiles, _ path: String) throws -> String? {
    try files.read(path, bytesMax: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a shared file is replaced only if it is unchanged since it was read")
  func comparison() throws {
    let files = try open()
    defer { files.close() }
    #expect(try files.write(Array("1".utf8), to: "settings/a.json", over: nil))
    #expect(try !files.write(Array("2".utf8), to: "settings/a.json", over: nil), "there is one")
    #expect(try !files.write(Array("2".utf8), to: "settings/a.json", over: Array("0".utf8)), "it is another one")
    #expect(try Self.text(files, "settings/a.json") == "1")
    #expect(try files.write(Array("2".utf8), to: "settings/a.json", over: Array("1".utf8)))
    #expect(try !files.write(Array("3".utf8), to: "settings/b.json", over: Array("1".utf8)), "there is none")
    #expect(try Self.text(files, "settings/a.json") == "2")
    #expect(files.remove("settings/a.json"))
    #expect(try Self.text(files, "settings/a.json") == nil)
    #expect(files.remove("settings/a.json"), "it is gone already")
  }

  @Test("names may contain dots and non-ASCII letters; folders have names, and no file lies below a file")
  func names() throws {
    let files = try open()
    defer { files.close() }
    for path in ["rules/guests/1.json", "rules/guests/2.json", "rules/a%2Eb/1.json"] {
      #expect(try files.write(Array("{}".utf8), to: path, over: nil))
    }
    #expect(try files.names(in: "rules/guests").sorted() == ["1.json", "2.json"])
    #expect(try files.names(in: "rules").sorted() == ["a%2Eb", "guests"])
    #expect(try files.names(in: "triggers").isEmpty)
  }

  @Test("unstorable values are refused with a reason")
  func refusals() throws {
    let files = try open()
    defer { files.close() }
    #expect(throws: AtomicFile.Problem.self) { try files.write([0xFF, 0xFE], to: "settings/a.json", over: nil) }
    let large = [UInt8](repeating: 0x61, count: (10 << 20) + 1)
    #expect(throws: AtomicFile.Problem.self) { try files.write(large, to: "settings/a.json", over: nil) }
    #expect(try files.write(Array("12".utf8), to: "settings/a.json", over: nil))
    #expect(throws: AtomicFile.Problem.self) { try files.read("settings/a.json", bytesMax: 1) }
  }

  @Test("a new log begins with the data folder's files, and later the folder follows the log")
  func folders() throws {
    let local = LocalFileStore(folder: folder.path + "/data")
    #expect(try local.write(Array("own".utf8), to: "settings/a.json", over: nil))
    #expect(try local.write(Array("v1".utf8), to: "rules/a/1.json", over: nil))
    #expect(try local.write(Array("3".utf8), to: "triggers/home", over: nil))
    let first = try open()
    #expect(try Self.text(first, "settings/a.json") == "own")
    #expect(try Self.text(first, "rules/a/1.json") == "v1")
    #expect(try Self.text(first, "triggers/home") == nil, "that is about the folder itself")
    #expect(try first.write(Array("newer".utf8), to: "settings/a.json", over: Array("own".utf8)))
    #expect(try first.write(Array("{}".utf8), to: "triggers/triggers.json", over: nil))
    #expect(first.remove("rules/a/1.json"))
    first.close()
    let second = try open()
    defer { second.close() }
    #expect(try local.read("settings/a.json", bytesMax: 100).map { $0.elementsEqual("newer".utf8) } == true)
    #expect(try local.read("triggers/triggers.json", bytesMax: 100) != nil)
    #expect(try local.read("rules/a/1.json", bytesMax: 100) == nil)
    #expect(try local.names(in: "rules").isEmpty, "nor is its folder there")
    #expect(try local.read("triggers/home", bytesMax: 100) != nil)
  }
}
