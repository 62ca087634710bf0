import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct HearthServerTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#

  @Test func acknowledgedWritesSurviveARestart() async throws {
    let first = try await TestServer(rules: Self.open)
    #expect(try first.answer("PUT", "/a.json", "{\"n\":1}") == #"200 {"n":1}"#)
    let uploaded = #"{"rules":{".read":true}}"#
    let target = "/.settings/rules.json?ns=other&auth=\(try first.secret)"
    #expect(try first.http("PUT", target, uploaded).status == 200)
    let secret = try first.secret
    await first.server.stop()
    #expect(first.server.boundPort == nil)
    let second = try await TestServer(rules: Self.open, in: first)
    #expect(try second.secret == secret)
    #expect(try second.answer("GET", "/a.json") == #"200 {"n":1}"#)
    #expect(try second.answer("GET", target) == "200 \(uploaded)")
    await second.server.stop()
  }

  @Test func theRulesFileIsTheLatestWordAboutTheDefaultDatabase() async throws {
    let first = try await TestServer(rules: Self.open)
    let target = "/.settings/rules.json?auth=\(try first.secret)"
    #expect(try first.http("PUT", target, #"{"rules":{".read":false}}"#).status == 200)
    await first.server.stop()
    let without = try await TestServer(in: first)
    #expect(try without.http("GET", "/a.json").status == 401, "uploaded rules outlive a start without a file")
    await without.server.stop()
    let with = try await TestServer(rules: Self.open, in: first)
    #expect(try with.http("GET", "/a.json").status == 200)
    await with.server.stop()
  }

  @Test func withoutRulesEverythingIsDenied() async throws {
    try await TestServer.with { test throws in
      let secret = try test.secret
      #expect(try test.http("GET", "/a.json").status == 401)
      #expect(try test.http("PUT", "/a.json", "1").status == 401)
      #expect(try test.answer("PUT", "/a.json?auth=\(secret)", "1") == "200 1")
    }
  }

  @Test func aChangedRulesFileReachesThoseWhoFollowIt() async throws {
    try await TestServer.with(rules: Self.open, mode: .dev) { test throws in
      #expect(try test.http("PUT", "/a.json?ns=follows", "null").status == 200)
      let target = "/.settings/rules.json?ns=own&auth=\(try test.secret)"
      #expect(try test.http("PUT", target, #"{"rules":{".read":"1 == 1"}}"#).status == 200)
      await #expect(throws: ServerError.self) { try await test.server.deployRules("{\"rules\":{\".read\":\"tr\"}}") }
      #expect(try test.http("GET", "/a.json").status == 200, "bad rules change nothing")
      try await test.server.deployRules(#"{"rules":{".read":false}}"#)
      #expect(try test.http("GET", "/a.json").status == 401)
      #expect(try test.http("GET", "/a.json?ns=follows").status == 401)
      #expect(try test.http("GET", "/a.json?ns=later").status == 401)
      #expect(try test.http("GET", "/a.json?ns=own").status == 200)
      try await test.server.deployRules(Self.open, to: "own")
      #expect(try test.http("PUT", "/a.json?ns=own", "1").status == 200)
    }
  }

  @Test func stoppingSaysGoodbyeAndLosesNothing() async throws {
    let test = try await TestServer(rules: Self.open)
    let socket = try test.socket()
    for number in 1...200 { socket.request("p", "{\"p\":\"/a/n\(number)\",\"d\":\(number)}") }
    #expect(try socket.next() == #"r 1 ok """#)
    await test.server.stop()
    await test.server.stop()
    var acknowledged = 1
    while case let message = try socket.next(), message != "close 1001" {
      acknowledged += 1
      #expect(message == "r \(acknowledged) ok \"\"")
    }
    let again = try await TestServer(rules: Self.open, in: test)
    #expect(try again.answer("GET", "/a/n\(acknowledged).json") == "200 \(acknowledged)")
    await again.server.stop()
  }

  @Test func optionsThatWouldOpenTheDoorAreRefused() async throws {
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
      var options = HearthServer.Options(dataDirectory: "/nonexistent/x", host: host)
      options.accounts.isEmulator = true
      let server = HearthServer(options: options)
      await #expect(throws: ServerError.self) { try await server.start() }
    }
    let tls = HearthServer.Options.TLS(certificatePath: "c", keyPath: "k")
    var options = HearthServer.Options(dataDirectory: "/nonexistent/x", tls: tls)
    options.accounts.isEmulator = true
    let both = HearthServer(options: options)
    await #expect(throws: ServerError.self) { try await both.start() }
  }

  @Test func aFailedStartHasAReason() async throws {
    func problem(_ options: HearthServer.Options) async -> ServerError? {
      do {
        try await HearthServer(options: options).start()
        return nil
      } catch { return error }
    }
    let folder = try TemporaryFolder()
    #expect(await problem(.init(dataDirectory: "/proc/nowhere"))?.code == .storage)
    #expect(await problem(.init(dataDirectory: folder.path, rules: "{"))?.code == .badRules)
    #expect(await problem(.init(dataDirectory: folder.path, defaultNamespace: "A b"))?.code == .badOptions)
    let tls = HearthServer.Options.TLS(certificatePath: "/nonexistent", keyPath: "/nonexistent")
    #expect(await problem(.init(dataDirectory: folder.path, tls: tls))?.code == .badCertificate)
    try await TestServer.with { test throws in
      let other = folder.path + "/other"
      #expect(await problem(.init(dataDirectory: other, port: test.port))?.code == .cannotBind)
      #expect(await problem(.init(dataDirectory: test.directory, port: 0))?.code == .storage, "one owner at a time")
    }
  }
}
