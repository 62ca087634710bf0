import Testing

@testable import HearthOutbound

/// Tests of mail, one at a time: few threads send mail, and one test occupies all of them.
@Suite(.serialized) struct OutboundMailTests {
  /// Returns a mail server that accepts all commands, or refuses one.
  static func server(
    _ lines: Collected<String>, offers: [String] = [], refuses refused: String? = nil
  ) throws -> LoopbackServer {
    try LoopbackServer { connection in
      connection.write("220 mail.test ESMTP\r\n")
      while true {
        let line = connection.read(until: "\r\n")
        guard !line.isEmpty else { return }
        lines.append(line)
        let verb = line.prefix(4).uppercased()
        if let refused, verb == refused {
          connection.write("550 no mail for bob@example.com\r\n")
          continue
        }
        switch verb {
        case "EHLO":
          connection.write(
            (["mail.test"] + offers).reversed().enumerated().reversed().map { i, text in
              "250\(i == 0 ? " " : "-")\(text)\r\n"
            }.joined())
        case "AUTH":
          connection.write("334 \r\n")
          lines.append(connection.read(until: "\r\n"))
          connection.write("235 welcome\r\n")
        case "DATA":
          connection.write("354 go on\r\n")
          lines.append(connection.read(until: "\r\n.\r\n"))
          connection.write("250 taken\r\n")
        case "QUIT":
          connection.write("221 bye\r\n")
          return
        default: connection.write("250 ok\r\n")
        }
      }
    }
  }

  static func mail(
    _ port: Int, _ security: MailServer.Security = .none, username: String? = nil, password: String? = nil
  ) throws -> SMTPClient {
    try SMTPClient(
      server: MailServer(
        host: "127.0.0.1", port: port, security: security, username: username, password: password,
        clientName: "hearth.test", timeoutSeconds: 60))
  }

  static func failure(
    _ mail: SMTPClient, from sender: String = "app@example.com", to recipient: String = "bob@example.com"
  ) async -> OutboundError? {
    do throws(OutboundError) {
      try await mail.send(from: sender, to: recipient, message: Array("Subject: x\r\n\r\ny\r\n".utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test("a silent mail server does not delay sign-ins at another provider")
  func isolation() async throws {
    let silent = try LoopbackServer { $0.waitForEnd() }
    let provider = try LoopbackServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    defer {
      silent.stop()
      provider.stop()
    }
    let mail = try SMTPClient(
      server: MailServer(host: "127.0.0.1", port: silent.port, security: .none, timeoutSeconds: 120))
    let stuck = (0..<20).map { _ in Task { await Self.failure(mail) } }
    while silent.connectionCount < OutboundLimits.slots { try await Task.sleep(for: .milliseconds(5)) }
    let client = OutboundClient(policy: OutboundPolicy(allowsPlainHTTP: true))
    let request = OutboundRequest(url: "http://127.0.0.1:\(provider.port)/", timeoutSeconds: 60)
    #expect(try await client.send(request).status == 200)
    for task in stuck { task.cancel() }
    for task in stuck { #expect(await task.value?.code == .cancelled) }
  }

  @Test("passwords and bodies are not printed")
  func printing() {
    let server = MailServer(host: "mail.test", port: 587, security: .startTLS, username: "app", password: "hidden")
    let request = OutboundRequest(
      url: "https://a.example/?t=hidden", headers: [OutboundHeader("Authorization", "hidden")],
      body: Array("hidden".utf8))
    let values: [Any] = [server, request, OutboundResponse(status: 200, body: Array("hidden".utf8))]
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("hidden") && !text.contains("104"), "\(text)")
      }
    }
  }

  @Test("a mail is sent with doubled dots at the start of lines")
  func delivery() async throws {
    let lines = Collected<String>()
    let server = try Self.server(lines)
    defer { server.stop() }
    try await Self.mail(server.port).send(
      from: "app@example.com", to: "bob@example.com",
      message: Array("Subject: hi\r\n\r\n.\r\n.hidden\r\nend\r\n".utf8))
    let all = lines.all
    #expect(all.contains("EHLO hearth.test\r\n"))
    #expect(all.contains { $0.hasPrefix("MAIL FROM:<app@example.com>") })
    #expect(all.contains("RCPT TO:<bob@example.com>\r\n"))
    #expect(all.contains("Subject: hi\r\n\r\n..\r\n..hidden\r\nend\r\n.\r\n"))
  }

  @Test("STARTTLS is required: without it no message is sent", arguments: [[], ["AUTH PLAIN LOGIN"]])
  func stripped(offers: [String]) async throws {
    let lines = Collected<String>()
    let server = try Self.server(lines, offers: offers)
    defer { server.stop() }
    let mail = try Self.mail(server.port, .startTLS, username: "app", password: "secret-password")
    #expect(await Self.failure(mail)?.code == .untrusted)
    #expect(!lines.all.contains { $0.hasPrefix("MAIL") || $0.hasPrefix("AUTH") || $0.contains("example.com") })
  }

  @Test("a server that does not use TLS on a TLS port gets no mail")
  func noTLS() async throws {
    let lines = Collected<String>()
    let server = try Self.server(lines)
    defer { server.stop() }
    let code = await Self.failure(try Self.mail(server.port, .tls))?.code
    #expect(code == .untrusted)
    #expect(!lines.all.contains { $0.contains("example.com") })
  }

  @Test("without TLS mail is sent only to this machine")
  func plainElsewhere() async throws {
    let server = MailServer(host: "192.0.2.1", port: 25, security: .none, timeoutSeconds: 2)
    #expect(await Self.failure(try SMTPClient(server: server))?.code == .forbiddenAddress)
  }

  @Test("a server with authentication accepts the user name and password")
  func authentication() async throws {
    let lines = Collected<String>()
    let server = try Self.server(lines, offers: ["AUTH PLAIN"])
    defer { server.stop() }
    #expect(await Self.failure(try Self.mail(server.port, username: "app", password: "pw")) == nil)
    // Base64 of the bytes NUL "app" NUL "pw".
    #expect(lines.all.contains("AGFwcABwdw==\r\n"))
  }

  @Test("a refusal is reported without the address", arguments: ["MAIL", "RCPT", "DATA"])
  func refusal(verb: String) async throws {
    let server = try Self.server(Collected<String>(), refuses: verb)
    defer { server.stop() }
    let error = try #require(await Self.failure(try Self.mail(server.port)))
    #expect(error.code == .refused)
    #expect(error.message.contains("550"))
    #expect(!error.description.contains("bob"))
  }

  @Test(
    "Security 43: an address with a line break is not sent to any server",
    arguments: [
      "bob@example.com\r\nRCPT TO:<eve@example.com>", "bob@example.com\n", "bob@example.com>", "<bob@example.com",
      "bob@example.com, eve@example.com", "bob@example.com eve@example.com", "bob@@example.com", "bob", "@example.com",
      "bob@", "", "bob@example.com\u{0}", "b\"ob@example.com", "bob@example.com\u{85}",
    ])
  func injection(address: String) async throws {
    let server = try Self.server(Collected<String>())
    defer { server.stop() }
    let mail = try Self.mail(server.port)
    #expect(await Self.failure(mail, to: address)?.code == .invalidRequest)
    #expect(await Self.failure(mail, from: address)?.code == .invalidRequest)
    #expect(server.connectionCount == 0)
  }

  @Test(
    "a server's name cannot contain other characters",
    arguments: ["", "mail.test/x", "mail test", "mail@test", "a\r\nb"])
  func serverNames(host: String) {
    #expect(throws: OutboundError(.invalidRequest, "")) {
      try SMTPClient(server: MailServer(host: host, port: 25, security: .tls))
    }
    #expect(throws: OutboundError(.invalidRequest, "")) {
      try SMTPClient(server: MailServer(host: "mail.test", port: 25, security: .tls, clientName: host))
    }
  }
}
