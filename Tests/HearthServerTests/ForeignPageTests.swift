import HearthBytes
import HearthCrypto
import HearthTree
import NIOCore
import NIOHTTP1
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of the requests that a web page can send to an emulator on the visitor's machine.
@Suite struct ForeignPageTests {
  private static let closed = #"{"rules":{".read":"auth != null",".write":false}}"#
  /// The token {"alg":"none","type":"JWT"} . {"sub":"ann","iat":0,"exp":3600}
  private static let unsigned = "eyJhbGciOiJub25lIiwidHlwZSI6IkpXVCJ9.eyJzdWIiOiJhbm4iLCJpYXQiOjAsImV4cCI6MzYwMH0."

  /// Headers that a browser sends for a page of another or unknown site.
  static let foreign: [[String: String]] = [
    ["Origin": "https://evil.example"], ["Origin": "null"], ["Origin": ""], ["Referer": "https://evil.example/x"],
    ["Referer": "nonsense"], ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
    ["Sec-Fetch-Site": "unheard-of"], ["Origin": "http://localhost.evil.example"],
    ["Origin": "http://127.0.0.1.evil.example"], ["Referer": "http://localhost:1@evil.example/"],
    ["Origin": "http://localhost:5173", "Referer": "https://evil.example/"],
    ["Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"],
  ]

  /// Headers of programs, of typed addresses, and of pages on the developer's own web server.
  static let local: [[String: String]] = [
    [:], ["Sec-Fetch-Site": "none"], ["Sec-Fetch-Site": "same-origin"], ["Origin": "http://localhost:5173"],
    ["Origin": "http://localhost:5173", "Sec-Fetch-Site": "cross-site", "Referer": "http://localhost:5173/"],
    ["Referer": "http://127.0.0.1:3000/app?x=https://evil.example"], ["Origin": "http://[::1]:5000"],
    ["Origin": "http://app.localhost"], ["Origin": "capacitor://localhost"],
  ]

  private static func text(_ headers: [String: String]) -> String {
    headers.map { "\($0.key): \($0.value)\r\n" }.joined()
  }

  @Test("Security 67: every interface of the emulator refuses foreign pages", arguments: foreign)
  func foreignPages(_ headers: [String: String]) async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      let owner = ["Authorization": "Bearer owner"].merging(headers) { $1 }
      let bearer = ["Authorization": "Bearer \(Self.unsigned)"].merging(headers) { $1 }
      for target in ["/a.json?auth=owner", "/a.json?access_token=owner", "/a.json?auth=\(Self.unsigned)"] {
        #expect(try test.http("GET", target, headers: headers).status == 401)
      }
      for target in [
        "/a.json", "/.settings/rules.json", "/.settings/rulesets.json", "/.settings/receipts.json",
        "/.inspect/databases.json",
      ] {
        let any = ["Authorization": "Bearer ya29.any"].merging(headers) { $1 }
        for all in [owner, bearer, any] {
          #expect(try test.http("GET", target, headers: all).status == 401, "\(target)")
        }
      }
      #expect(try test.http("GET", "/.inspect/databases.json", headers: headers).status == 401)
      #expect(try test.http("PUT", "/.settings/rules.json", #"{"rules":{}}"#, headers: owner).status == 401)
      let events = headers.merging(["Accept": "text/event-stream"]) { $1 }
      #expect(try test.http("GET", "/a.json?auth=owner", headers: events).status == 401)
      let accounts = "\(TestServer.identityHost)/v1/projects/hearth/accounts"
      #expect(try test.identity("GET", accounts + ":batchGet?maxResults=1", headers: owner).status == 401)
      #expect(try test.http("DELETE", "/emulator/v1/projects/hearth/accounts", headers: headers).status == 404)
      #expect(try test.http("GET", "/emulator/v1/projects/hearth/oobCodes", headers: headers).status == 404)
      for credential in ["owner", Self.unsigned, "ya29.any"] {
        let socket = try test.socket(headers: Self.text(headers))
        socket.request("gauth", "{\"cred\":\"\(credential)\"}")
        #expect(try socket.next().hasPrefix("r 1 invalid_token"))
      }
      // The log tells the developer the reason.
      #expect(
        test.log.lines.contains { $0.contains("credential refused") && $0.contains("emulator=refused: the request") })
    }
  }

  @Test("programs, typed addresses and the developer's own pages may use the emulator's interfaces", arguments: local)
  func localPages(_ headers: [String: String]) async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      let owner = ["Authorization": "Bearer owner"].merging(headers) { $1 }
      #expect(try test.http("GET", "/a.json?auth=owner", headers: headers).status == 200)
      #expect(try test.http("GET", "/a.json?auth=\(Self.unsigned)", headers: headers).status == 200)
      #expect(try test.http("GET", "/.settings/rules.json", headers: owner).status == 200)
      #expect(try test.http("GET", "/.inspect/databases.json", headers: headers).status == 200)
      #expect(try test.http("GET", "/emulator/v1/projects/hearth/oobCodes", headers: headers).status == 200)
      for credential in ["owner", Self.unsigned] {
        let socket = try test.socket(headers: Self.text(headers))
        socket.request("gauth", "{\"cred\":\"\(credential)\"}")
        #expect(try socket.next().hasPrefix("r 1 ok"))
      }
    }
  }

  @Test("an app's page of any site signs in with tokens that the server signed")
  func signedTokens() async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      let token = try test.token(uid: "ann")
      for headers in Self.foreign {
        #expect(try test.http("GET", "/a.json?auth=\(token)", headers: headers).status == 200)
        let socket = try test.socket(headers: Self.text(headers))
        socket.request("auth", "{\"cred\":\"\(token)\"}")
        #expect(try socket.next().hasPrefix("r 1 ok"))
      }
      #expect(try test.answer("GET", "/a.json?auth=\(token)&callback=f") == "200 f(null);")
    }
  }

  @Test("JSONP requests never get the emulator's data", arguments: local)
  func callbacks(_ headers: [String: String]) async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for name in ["callback", "c%61llback"] {
        for target in ["/.json?auth=owner", "/.json?auth=\(Self.unsigned)", "/.settings/rules.json?auth=owner"] {
          #expect(try test.http("GET", "\(target)&\(name)=f", headers: headers).status == 401, "\(target)")
        }
        #expect(try test.http("GET", "/.inspect/databases.json?\(name)=f", headers: headers).status == 401)
      }
    }
  }

  @Test("a foreign host name that points to this machine is not accepted as this machine")
  func rebinding() async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for host in [
        "evil.example:9000", "localhost.evil.example", "0.0.0.0:9000", "[::]:9000", "[::ffff:0.0.0.0]",
        "127.0.0.1.nip.io",
        "10.0.2", "hearth", "",
      ] {
        for marks in ["", "Sec-Fetch-Site: same-origin\r\n", "Origin: http://\(host)\r\n"] {
          let connection = try LiveConnection(port: test.port)
          connection.send(Array("GET /a.json?auth=owner HTTP/1.1\r\nHost: \(host)\r\n\(marks)\r\n".utf8))
          #expect(try connection.takeHead().first?.contains(" 401 ") == true, "\(host)")
        }
      }
    }
  }

  @Test("a numeric Host is accepted on local connections: Android's emulator requests 10.0.2.2")
  func addresses() async throws {
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for host in ["10.0.2.2:9000", "192.168.1.5", "[2001:db8::1]:9000", "[::1]"] {
        let ownPage = host == "[::1]" ? 200 : 401
        for (marks, status) in [
          ("", 200), ("Origin: http://localhost:5173\r\n", 200), ("Origin: http://\(host)\r\n", ownPage),
          ("Referer: http://10.0.2.2/x\r\n", 401), ("X-Forwarded-For: 127.0.0.1\r\n", 401),
        ] {
          let connection = try LiveConnection(port: test.port)
          connection.send(Array("GET /a.json?auth=owner HTTP/1.1\r\nHost: \(host)\r\n\(marks)\r\n".utf8))
          #expect(try connection.takeHead().first?.contains(" \(status) ") == true, "\(host) \(marks)")
        }
      }
    }
  }

  @Test("an emulator accepts any bearer and gauth token as administrator, except one that names a user")
  func anyBearer() async throws {
    // The token {"alg":"RS256"} . {"iss":"https://securetoken.google.com/hearth","sub":"ann"} . AAAA
    let signed =
      [#"{"alg":"RS256"}"#, #"{"iss":"https://securetoken.google.com/hearth","sub":"ann"}"#].map {
        Base64URL.encode($0.utf8)
      }.joined(separator: ".") + ".AAAA"
    try await TestServer.with(rules: Self.closed, isEmulator: true) { test throws in
      for token in ["ya29.c.any", "an-app-token", "a.b.c", "owner"] {
        let bearer = ["Authorization": "Bearer \(token)"]
        #expect(try test.http("GET", "/.settings/rules.json", headers: bearer).status == 200, "\(token)")
        #expect(try test.http("PUT", "/a.json", "1", headers: bearer).status == 200, "\(token)")
        let socket = try test.socket()
        socket.request("gauth", "{\"cred\":\"\(token)\"}")
        #expect(try socket.next().hasPrefix("r 1 ok"), "\(token)")
        if token == "owner" { continue }
        socket.request("auth", "{\"cred\":\"\(token)\"}")
        #expect(try socket.next().hasPrefix("r 2 invalid_token"), "\(token)")
        for name in ["auth", "access_token"] {
          #expect(try test.http("GET", "/a.json?\(name)=\(token)").status == 401, "\(name) \(token)")
          #expect(try test.http("GET", "/a.json?\(name)=\(token)", headers: bearer).status == 401, "\(name) \(token)")
        }
      }
      for (token, read, write) in [(Self.unsigned, 200, 401), (signed, 401, 401)] {
        let bearer = ["Authorization": "Bearer \(token)"]
        #expect(try test.http("GET", "/a.json", headers: bearer).status == read)
        #expect(try test.http("PUT", "/a.json", "1", headers: bearer).status == write)
        #expect(try test.http("GET", "/.settings/rules.json", headers: bearer).status == 401)
      }
      let socket = try test.socket()
      socket.request("gauth", "{\"cred\":\"\(signed)\"}")
      #expect(try socket.next().hasPrefix("r 1 invalid_token"))
    }
    try await TestServer.with(rules: Self.closed) { test throws in
      let bearer = ["Authorization": "Bearer an-app-token"]
      #expect(try test.http("GET", "/a.json", headers: bearer).status == 401)
    }
  }

  // MARK: Databases

  private static func names(_ test: TestServer) throws -> String {
    try test.http("GET", "/.inspect/databases.json?auth=\(try test.secret)").body
  }

  private static let open = """
    {"rules": {"public": {".read": true, ".write": true, ".indexOn": "n"}}}
    """

  @Test("reads and connections without a write create no database")
  func readsMakeNothing() async throws {
    try await TestServer.with(rules: Self.open, mode: .dev) { test throws in
      let admin = "auth=\(try test.secret)"
      #expect(try test.answer("GET", "/public.json?ns=fresh") == "200 null")
      #expect(try test.http("HEAD", "/public.json?ns=fresh").status == 200)
      #expect(try test.answer("GET", "/public.json?ns=fresh&callback=f") == "200 f(null);")
      #expect(try test.answer("GET", "/public.json?ns=fresh&shallow=true") == "200 null")
      #expect(try test.answer("GET", "/public.json?ns=fresh&orderBy=\"n\"&equalTo=1") == "200 null")
      #expect(try test.http("GET", "/public.json?ns=fresh&orderBy=\"m\"").body.contains("Index not defined"))
      #expect(try test.http("GET", "/other.json?ns=fresh&orderBy=\"n\"").status == 401)
      #expect(try test.http("GET", "/other.json?ns=fresh").status == 401)
      #expect(try test.answer("GET", "/other.json?ns=fresh&\(admin)") == "200 null")
      let tag = try test.http("GET", "/public.json?ns=fresh", headers: ["X-Firebase-ETag": "true"])
      #expect(tag.headers["etag"] == "null_etag")
      #expect(try test.http("GET", "/.settings/rules.json?ns=fresh&\(admin)").body.contains(".indexOn"))
      #expect(try test.answer("GET", "/.settings/ruleset_labels.json?ns=fresh&\(admin)") == "200 {}")
      #expect(try test.answer("GET", "/.settings/defaultWriteSizeLimit.json?ns=fresh&\(admin)") == #"200 "large""#)
      #expect(try test.http("GET", "/.settings/rulesets/x.json?ns=fresh&\(admin)").status == 404)
      #expect(try test.http("GET", "/public.json?ns=no.name").status == 404)
      let socket = try test.socket("ns=fresh")
      let poll = try LivePoll(port: test.port, "ns=fresh")
      #expect(try Self.names(test) == #"[{"name":"default"}]"#)
      // The first request that a page's image cannot send creates the database.
      socket.request("q", #"{"p":"/public","h":""}"#)
      #expect(try socket.next() == "r 1 ok {}")
      #expect(try Self.names(test) == #"[{"name":"default"},{"name":"fresh"}]"#)
      #expect(try poll.messages(1, saying: poll.data("s", #"{"c":{}}"#)).count == 1)
    }
  }

  @Test("a write, a listen and a deploy create a database, over every transport")
  func usesMakeDatabases() async throws {
    try await TestServer.with(rules: Self.open, mode: .dev) { test throws in
      let admin = "auth=\(try test.secret)"
      #expect(try test.http("PUT", "/public/x.json?ns=a-write", "1").status == 200)
      let poll = try LivePoll(port: test.port, "ns=b-poll")
      #expect(try poll.messages(1, saying: poll.data("q", #"{"p":"/public","h":""}"#)).count == 1)
      let socket = try test.socket("ns=c-socket")
      socket.request("p", #"{"p":"/public","d":1}"#)
      #expect(try socket.next() == #"r 1 ok """#)
      _ = try test.stream("/public.json?ns=d-stream")
      #expect(try test.http("PUT", "/.settings/rules.json?ns=e-rules&\(admin)", #"{"rules":{}}"#).status == 200)
      for name in ["a-write", "b-poll", "c-socket", "d-stream", "e-rules"] {
        #expect(try Self.names(test).contains("\"\(name)\""), "\(name)")
      }
    }
  }
}
