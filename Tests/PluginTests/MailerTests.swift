#if PLUGIN_OutboxMail && PLUGIN_SMTPMail
  import Foundation
  import HearthOutbound
  import HearthPlugin
  import SMTPMailPlugin
  import Synchronization
  import Testing

  @testable import OutboxMailPlugin

  @Suite struct MailerTests {
    static func message(link: String = "https://a.example/?oobCode=abc") -> MailMessage {
      MailMessage(
        kind: .verifyEmail, to: "bob@example.com", fromName: "Hearth", fromAddress: "noreply@example.com",
        subject: "Hello", text: "Open \(link)", html: "<a href=\"\(link)\">Open</a>", link: link)
    }

    static func withFolder(_ body: (String) async throws -> Void) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-outbox-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try await body(folder.path)
    }

    @Test("the outbox writes one private file for each mail, with the link in it")
    func outbox() async throws {
      try await Self.withFolder { folder in
        let mailer = try OutboxMail.mailer(Requests.settings(#"{"showsLinks": false}"#, dataDirectory: folder))
        for _ in 0..<3 { try await mailer.send(Self.message()) }
        let outbox = folder + "/outbox"
        let files = try FileManager.default.contentsOfDirectory(atPath: outbox)
        #expect(files.count == 3)
        #expect(files.allSatisfy { $0.hasSuffix("-verifyEmail.eml") })
        #expect(try FileManager.default.attributesOfItem(atPath: outbox)[.posixPermissions] as? Int == 0o700)
        for file in files {
          let path = outbox + "/" + file
          #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
          #expect(try String(contentsOfFile: path, encoding: .utf8).contains("https://a.example/?oobCode=abc"))
        }
      }
    }

    @Test("the link is printed without control characters")
    func terminal() async throws {
      try await Self.withFolder { folder in
        let shown = Mutex<[String]>([])
        let path = try #require(OutboxFolder(path: folder + "/out"))
        try await OutboxMailer(folder: path) { line in shown.withLock { $0.append(line) } }
          .send(Self.message(link: "https://a.example/\u{1B}[2J\u{202E}x"))
        let lines = shown.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.last == "  https://a.example/?[2J?x")
      }
    }

    @Test("an outbox that cannot be written to keeps the server from starting")
    func noFolder() {
      #expect(throws: SettingsError.self) { try OutboxMail.mailer(Requests.settings("{}")) }
      #expect(throws: SettingsError.self) { try OutboxMail.mailer(Requests.settings(#"{"folder": "/dev/null"}"#)) }
    }

    @Test("a folder that others can write to is not the outbox: they could put their own links there")
    func sharedFolder() async throws {
      try await Self.withFolder { folder in
        let shared = folder + "/shared"
        try FileManager.default.createDirectory(
          atPath: shared, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: shared)
        #expect(throws: SettingsError.self) {
          try OutboxMail.mailer(Requests.settings(#"{"folder": "\#(shared)"}"#))
        }
      }
    }

    @Test(
      "contradictory SMTP settings prevent the start",
      arguments: [
        "{}", #"{"host": ""}"#, #"{"host": "a b"}"#, #"{"host": "mail.test", "port": 0}"#,
        #"{"host": "mail.test", "security": "maybe"}"#, #"{"host": "mail.test", "username": "u"}"#,
        #"{"host": "mail.test", "password": "p"}"#, #"{"host": "mail.test", "passwort": "p"}"#,
        #"{"host": "mail.test", "username": "u", "passwordFile": "/nonexistent/f"}"#,
      ])
    func smtpSettings(text: String) {
      #expect(throws: SettingsError.self) { try SMTPMail.mailer(Requests.settings(text)) }
    }

    @Test("SMTP settings of an ordinary provider are accepted")
    func smtp() throws {
      let text = #"{"host": "mail.test", "username": "u", "password": "p", "security": "tls"}"#
      #expect(throws: Never.self) { try SMTPMail.mailer(Requests.settings(text)) }
      #expect(throws: Never.self) {
        try SMTPMail.mailer(Requests.settings(#"{"host": "127.0.0.1", "security": "none"}"#))
      }
    }
  }
#endif
