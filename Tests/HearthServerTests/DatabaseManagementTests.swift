import Foundation
import HearthTestKit
import HearthTree
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Tests of databases that an administrator creates, limits and deletes; settings apply at once.
@Suite struct DatabaseManagementTests {
  private static let open = #"{"rules":{".read":true,".write":true}}"#

  /// Returns the status and body of a request to `/.settings/databases…`.
  @discardableResult
  private static func manage(
    _ test: TestServer, _ method: String, _ name: String = "", _ body: String? = nil
  ) throws -> String {
    try test.answer(method, "/.settings/databases\(name).json?auth=\(try test.secret)", body)
  }

  private static func create(_ test: TestServer, _ name: String, _ more: String = "") throws -> String {
    let rules = String(decoding: JSON.string(open).text(), as: UTF8.self)
    return try manage(test, "POST", "", #"{"name":"\#(name)","rules":\#(rules)\#(more)}"#)
  }

  private static func files(_ test: TestServer, _ name: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: test.directory)?.compactMap { $0 as? String } ?? []
    return found.filter { $0.split(separator: "/").contains { $0 == name || $0.hasPrefix(name + ".") } }
  }

  @Test("databases are created with rules and quotas and listed, only by an administrator")
  func making() async throws {
    try await TestServer.with { test throws in
      #expect(try test.answer("PUT", "/a.json?ns=guests", "1").hasPrefix("404"))
      let made = #"200 {"name":"guests","isDefault":false,"isOpen":true,"connections":0,"quotas":{"connections":3}}"#
      #expect(try Self.create(test, "guests", #","quotas":{"connections":3}"#) == made)
      #expect(try Self.create(test, "guests").hasPrefix("409"))
      #expect(try test.answer("PUT", "/a.json?ns=guests", "1") == "200 1")
      for (body, status) in [
        (#"{"name":"No!"}"#, 400), (#"{"name":"x","rules":"{"}"#, 400), (#"{"name":"x","quotas":{"y":1}}"#, 400),
        (#"{"name":"x","color":1}"#, 400), ("[]", 400),
      ] {
        #expect(try Self.manage(test, "POST", "", body).hasPrefix("\(status)"), "\(body)")
      }
      #expect(try Self.manage(test, "GET").contains(#"{"name":"default","isDefault":true,"isOpen":true"#))
      let shown = try Self.manage(test, "GET", "/guests")
      #expect(shown.hasPrefix(made.dropLast() + #","size":{"values":1,"#), "\(shown)")
      #expect(shown.contains(#","pages":"#), "\(shown)")
      #expect(try Self.manage(test, "GET", "/nobody").hasPrefix("404"))
      #expect(try Self.manage(test, "DELETE", "/default").hasPrefix("400"))
      for method in ["GET", "POST"] { #expect(try test.http(method, "/.settings/databases.json", "{}").status == 401) }
      for method in ["GET", "PATCH", "DELETE"] {
        #expect(try test.http(method, "/.settings/databases/guests.json", "{}").status == 401)
      }
      let records = try #require(test.server.parts).services.accounts.own.store.view.auditTail(limit: 10)
      #expect(records.contains { $0.fields["detail"]?.string?.hasPrefix("database guests created, by secret") == true })
    }
  }

  @Test("a deleted database is removed with all its data, its clients are disconnected, and its name can be reused")
  func deleting() async throws {
    try await TestServer.with(rules: Self.open) { test throws in
      _ = try Self.create(test, "guests", #","quotas":{"connections":7}"#)
      #expect(try test.answer("PUT", "/a.json?ns=guests", "1") == "200 1")
      #expect(!Self.files(test, "guests").isEmpty)
      let (socket, other) = (try test.socket("ns=guests"), try test.socket())
      socket.request("q", #"{"p":"/a","h":""}"#)
      #expect(try socket.next() == #"d {"p":"a","d":1}"#)
      #expect(try socket.next() == "r 1 ok {}")
      #expect(try Self.manage(test, "DELETE", "/guests") == #"200 {"deleted":"guests"}"#)
      #expect(try socket.receive().contains("This database was deleted."))
      #expect(try socket.receive() == "close 1000")
      other.request("g", #"{"p":"/a"}"#)
      #expect(try other.next() == "r 1 ok null", "others stay")
      #expect(Self.files(test, "guests") == [])
      #expect(try test.answer("GET", "/a.json?ns=guests").hasPrefix("404"))
      #expect(try Self.manage(test, "DELETE", "/guests").hasPrefix("404"))
      _ = try Self.create(test, "guests")
      #expect(try test.answer("GET", "/a.json?ns=guests") == "200 null")
      let shown = try Self.manage(test, "GET", "/guests")
      #expect(shown.contains(#""quotas":{},"size":{"values":0,"#), "nothing of the former one is left")
      let versions = try test.answer("GET", "/.settings/rules/versions.json?ns=guests&auth=\(try test.secret)")
      #expect(versions.contains(#""current":2"#) || versions.contains(#""current":1"#))
    }
  }

  @Test("a deletion interrupted by a crash is completed at the next start, and its data is in no backup")
  func crashWhileDeleting() async throws {
    let first = try await TestServer(rules: Self.open)
    _ = try Self.create(first, "guests", #","quotas":{"connections":7}"#)
    _ = try Self.create(first, "others")
    #expect(try first.answer("PUT", "/a.json?ns=guests", "1") == "200 1")
    await first.server.stop()
    try "{}\n".write(toFile: first.directory + "/databases/guests.deleted", atomically: false, encoding: .utf8)
    #expect(
      try DataFolderJournals.entries(in: first.directory).map(\.name) == [
        "accounts", "databases/default", "databases/others",
      ])
    let second = try await TestServer(rules: Self.open, in: first)
    #expect(Self.files(second, "guests") == [] && !Self.files(second, "others").isEmpty)
    #expect(try second.answer("GET", "/a.json?ns=guests").hasPrefix("404"))
    await second.server.stop()
  }

  @Test("rates apply to open sockets, and refused requests have a reason and no effect")
  func rates() async throws {
    try await TestServer.with(rules: Self.open) { test throws in
      let socket = try test.socket()
      socket.request("p", #"{"p":"/a","d":1}"#)
      #expect(try socket.next() == #"r 1 ok """#)
      try Self.manage(test, "PATCH", "/default", #"{"quotas":{"clientBytesPerSecond":1}}"#)
      // Accepted; its debt lasts a minute.
      socket.request("p", #"{"p":"/a","d":2}"#)
      #expect(try socket.next() == #"r 2 ok """#)
      socket.request("p", #"{"p":"/a","d":3}"#)
      #expect(
        try socket.next()
          == #"r 3 unavailable "Over quota: this database allows 1 bytes a second per client (clientBytesPerSecond)""#
      )
      #expect(try test.answer("GET", "/a.json?auth=\(try test.secret)") == "200 2", "administrators are not limited")
      let refused = try test.http("PUT", "/a.json", "4")
      #expect(refused.status == 429 && refused.body.contains("(clientBytesPerSecond)"))
      #expect(try test.answer("GET", "/a.json").hasPrefix("429"))
      // The socket is read again within a second.
      try Self.manage(test, "PATCH", "/default", #"{"quotas":{"clientBytesPerSecond":null}}"#)
      socket.request("p", #"{"p":"/a","d":5}"#)
      #expect(try socket.next() == #"r 4 ok """#)
      let metrics = try test.http("GET", "/.metrics?auth=\(try test.secret)").body
      #expect(metrics.contains(#"hearth_quota_refusals_total{database="default",quota="clientBytesPerSecond"}"#))
    }
  }

  @Test("connections, stored bytes and answers are limited, and removing is always possible")
  func sizes() async throws {
    try await TestServer.with(rules: Self.open) { test throws in
      try Self.manage(
        test, "PATCH", "/default", #"{"quotas":{"clientConnections":1,"storedBytes":100000,"answerBytes":262144}}"#)
      let socket = try test.socket()
      socket.request("g", #"{"p":"/none"}"#)
      #expect(try socket.next() == "r 1 ok null")
      #expect(try test.socket().receive() == "close 1013")
      let stream = try test.http("GET", "/none.json", headers: ["Accept": "text/event-stream"])
      #expect(stream.status == 503 && stream.body.contains("(clientConnections)"))
      let text = String(repeating: "x", count: 400_000)
      #expect(try test.http("PUT", "/big.json?print=silent", "\"\(text)\"").status == 204)
      #expect(try await Polling.until { try test.http("PUT", "/small.json", "1").status == 507 })
      socket.request("p", #"{"p":"/small","d":1}"#)
      #expect(
        try socket.next() == #"r 2 failed "Over quota: this database can store 100000 bytes (storedBytes)""#)
      #expect(try test.http("GET", "/big.json").status == 400)
      socket.request("g", #"{"p":"/big"}"#)
      #expect(try socket.next().hasPrefix(#"r 3 too_big "Data requested exceeds"#))
      #expect(try test.http("GET", "/big.json?auth=\(try test.secret)").status == 200)
      socket.request("p", #"{"p":"/big","d":null}"#)
      #expect(try socket.next() == #"r 4 ok """#)
      #expect(try await Polling.until { try test.http("PUT", "/small.json", "1").status == 200 })
    }
  }

  @Test("quotas are kept over a restart")
  func lasting() async throws {
    let first = try await TestServer(rules: Self.open)
    try Self.manage(first, "PATCH", "/default", #"{"quotas":{"bytesPerSecond":1}}"#)
    await first.server.stop()
    let second = try await TestServer(rules: Self.open, in: first)
    // The request is accepted; its debt lasts a minute.
    let text = String(repeating: "x", count: 100)
    #expect(try second.http("PUT", "/a.json", "\"\(text)\"").status == 200)
    #expect(try second.answer("GET", "/a.json").contains("(bytesPerSecond)"))
    await second.server.stop()
  }
}
