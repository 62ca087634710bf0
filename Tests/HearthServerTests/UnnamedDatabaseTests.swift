import Testing

/// Tests of emulator requests without a database name.
@Suite struct UnnamedDatabaseTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#

  @Test("a request without a database name uses the project's own database, once it exists")
  func ofTheProject() async throws {
    try await TestServer.with(rules: Self.open, mode: .dev, isEmulator: true) { test throws in
      #expect(try test.answer("PUT", "/a.json", "0") == "200 0")
      #expect(try test.answer("PUT", "/a.json?ns=hearth", "1") == "200 1")
      #expect(try test.answer("GET", "/a.json") == "200 1")
      #expect(try test.answer("PUT", "/a.json?ns=hearth-default-rtdb", "2") == "200 2")
      #expect(try test.answer("GET", "/a.json") == "200 2")
      let socket = try test.socket("")
      socket.request("g", #"{"p":"/a","q":{}}"#)
      #expect(try socket.next() == "r 1 ok 2")
      #expect(try test.answer("GET", "/a.json?ns=default") == "200 0")
    }
  }

  @Test(
    "with a configured default database, or without an emulator, it uses the default database",
    arguments: [true, false])
  func ofTheOperator(_ isEmulator: Bool) async throws {
    try await TestServer.with(rules: Self.open, mode: .dev, isEmulator: isEmulator) {
      $0.isDefaultNamed = isEmulator
    } _: { test throws in
      #expect(try test.answer("PUT", "/a.json?ns=hearth-default-rtdb", "2") == "200 2")
      #expect(try test.answer("GET", "/a.json") == "200 null")
    }
  }
}
