#if PLUGIN_OutboxSMS
  import Foundation
  import HearthPlugin
  import Synchronization
  import Testing

  @testable import OutboxSMSPlugin

  @Suite struct OutboxSMSTests {
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-outbox-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try await body(folder.path)
    }

    @Test("the outbox writes one private file for each message")
    func outbox() async throws {
      try await Self.withFolder { folder in
        let sender = try OutboxSMS.sender(Requests.settings(#"{"showsTexts": false}"#, dataDirectory: folder))
        let message = try #require(SMSMessage(kind: .code, to: "+15555550100", text: "123456 is your code."))
        for _ in 0..<2 { try await sender.send(message) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/outbox")
        #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix("-code.txt") })
        let path = folder + "/outbox/" + files[0]
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "To: +15555550100\n\n123456 is your code.\n")
      }
    }

    @Test("the text is printed without control characters")
    func terminal() async throws {
      try await Self.withFolder { folder in
        let shown = Mutex<[String]>([])
        let sender = OutboxSMSSender(folder: try #require(OutboxFolder(path: folder + "/out"))) { line in
          shown.withLock { $0.append(line) }
        }
        try await sender.send(try #require(SMSMessage(kind: .test, to: "+15555550100", text: "a\u{1B}[2J\u{202E}b")))
        #expect(shown.withLock { $0.last } == "  a?[2J?b")
      }
    }

    @Test("an outbox that cannot be written to keeps the server from starting")
    func noFolder() {
      #expect(throws: SettingsError.self) { try OutboxSMS.sender(Requests.settings(#"{"folder": "/dev/null"}"#)) }
      #expect(throws: SettingsError.self) { try OutboxSMS.sender(Requests.settings(#"{"shows": true}"#)) }
    }
  }
#endif
