import HearthBytes
import HearthCrypto
import HearthTree
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of `--emulator` over HTTP, as apps' test suites use it, and of its absence without the option.
@Suite struct EmulatorTests {
  private static let rules = #"{"rules":{"$uid":{".read":"auth.uid == $uid",".write":"auth.uid == $uid"}}}"#
  private static let owner = ["Authorization": "Bearer owner", "Content-Type": "application/json"]

  private static func with(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.with(
      rules: rules, mode: .dev, isEmulator: true, configure: { $0.accounts.protectsFromEnumeration = false }, body)
  }

  /// Signs up in a project with an administrator's credential; the answer contains tokens.
  private static func signUp(_ test: TestServer, in project: String, _ email: String) throws -> IdentityAnswer {
    let body = """
      {"targetProjectId":"\(project)","email":"\(email)","password":"secret1","returnSecureToken":true}
      """
    let answer = try test.identity("POST", "\(TestServer.identityHost)/v1/accounts:signUp", body, headers: owner)
    #expect(answer.status == 200, "\(answer.text)")
    return answer
  }

  private static func own(_ project: String, _ operation: String) -> String {
    "\(TestServer.identityHost)/v1/projects/\(project)/\(operation)"
  }

  @Test("the database accepts the ID tokens of every project, and none whose user was deleted in that project")
  func database() async throws {
    try await Self.with { test throws in
      var tokens: [String: IdentityAnswer] = [:]
      for project in ["hearth", "demo-a", "demo-b"] {
        tokens[project] = try Self.signUp(test, in: project, "a@x.example")
      }
      for (project, user) in tokens {
        let claims = try TokenReader.read(user["idToken"]).payload
        #expect(
          claims["aud"]?.string == project && claims["iss"]?.string == "https://securetoken.google.com/\(project)")
        let place = "/\(user["localId"]).json?ns=any&auth=\(user["idToken"])"
        #expect(try test.answer("PUT", place, "1") == "200 1", "\(project)")
      }
      let user = try #require(tokens["demo-a"])
      let socket = try test.socket("ns=any")
      socket.request("auth", #"{"cred":"\#(user["idToken"])"}"#)
      #expect(try socket.next().hasPrefix("r 1 ok"))
      let disabled = #"{"localId":"\#(user["localId"])","disableUser":true}"#
      // A user with the same uid in another project is not affected.
      let other = try test.identity("POST", Self.own("demo-b", "accounts:update"), disabled, headers: Self.owner)
      #expect(other.code == "USER_NOT_FOUND")
      let place = "/\(user["localId"]).json?ns=any&auth=\(user["idToken"])"
      #expect(try test.answer("GET", place) == "200 1")
      let done = try test.identity("POST", Self.own("demo-a", "accounts:update"), disabled, headers: Self.owner)
      #expect(done.status == 200, "\(done.text)")
      #expect(try test.http("GET", place).status == 401)
      #expect(try socket.next().contains("expired_token"))
    }
  }

  @Test("an emulator's link is applied by a GET")
  func links() async throws {
    try await Self.with { test throws in
      let user = try test.signUp("a@x.example")
      func link(_ type: String, _ more: String) throws -> String {
        let asked = try test.app("accounts:sendOobCode", #"{"requestType":"\#(type)",\#(more)}"#)
        #expect(asked.status == 200, "\(asked.text)")
        let listed = try test.identity("GET", "/emulator/v1/projects/hearth/oobCodes").json["oobCodes"]?.array
        let link = try #require(listed?.last?["oobLink"]?.string)
        return String(link.dropFirst("https://auth.example.com".count))
      }
      func follow(_ target: String) throws -> IdentityAnswer { try test.identity("GET", target) }
      let verify = try link("VERIFY_EMAIL", #""idToken":"\#(user["idToken"])""#)
      let verified = try follow(verify)
      #expect(verified.status == 200 && verified.json["authEmulator"]?["email"]?.string == "a@x.example")
      #expect(verified.headers["content-type"] == "application/json; charset=utf-8")
      #expect(try follow(verify).status == 400, "once")
      let reset = try link("PASSWORD_RESET", #""email":"a@x.example""#)
      let asks = try follow(reset)
      let template = try #require(asks.json["authEmulator"]?["urlTemplate"]?.string)
      #expect(asks.status == 400 && template.hasSuffix("&newPassword=NEW_PASSWORD_HERE"))
      #expect(try follow(reset + "&newPassword=NEW_PASSWORD_HERE").status == 400)
      #expect(try follow(reset + "&newPassword=short").json["authEmulator"]?["error"]?.string?.contains("WEAK") == true)
      #expect(try follow(reset + "&newPassword=fresh-pass").status == 200)
      #expect(try test.signIn("a@x.example", "fresh-pass").status == 200)
      let onward = try link(
        "PASSWORD_RESET", #""email":"a@x.example","continueUrl":"http://10.0.2.2:5173/done?x=1""#)
      let moved = try follow(onward + "&newPassword=other-pass")
      #expect(moved.status == 303 && moved.headers["location"] == "http://10.0.2.2:5173/done?x=1")
      let enter = try follow(
        try link(
          "EMAIL_SIGNIN", #""email":"b@x.example","continueUrl":"http://localhost:5173/in","canHandleCodeInApp":true"#))
      let location = try #require(enter.headers["location"])
      #expect(enter.status == 303 && location.hasPrefix("http://localhost:5173/in?mode=signIn&oobCode="))
      let body = #"{"email":"b@x.example","oobCode":"\#(code(of: location))"}"#
      #expect(try test.app("accounts:signInWithEmailLink", body).json["isNewUser"] == .bool(true))
      for broken in ["?oobCode=x&apiKey=k", "?mode=verifyEmail&apiKey=k", "?mode=verifyEmail&oobCode=x", ""] {
        #expect(try follow("/emulator/action" + broken).json["authEmulator"]?["error"] != nil, "\(broken)")
      }
      // A code has no effect with a mode other than its own.
      let again = try link("PASSWORD_RESET", #""email":"a@x.example""#)
      #expect(try follow(again.replacing("mode=resetPassword", with: "mode=verifyEmail")).status == 400)
    }
  }

  @Test("a link of another project takes effect in that project")
  func linksOfProjects() async throws {
    try await Self.with { test throws in
      let user = try Self.signUp(test, in: "demo-a", "a@x.example")
      let body = #"{"requestType":"VERIFY_EMAIL","email":"a@x.example","returnOobLink":true}"#
      let link = try test.identity("POST", Self.own("demo-a", "accounts:sendOobCode"), body, headers: Self.owner)[
        "oobLink"]
      #expect(try test.identity("GET", String(link.dropFirst("https://auth.example.com".count))).status == 200)
      let found = try test.app("accounts:lookup", #"{"idToken":"\#(user["idToken"])"}"#)
      #expect(found.json["users"]?.array?.first?["emailVerified"] == .bool(true), "\(found.text)")
    }
  }

  @Test("a hundred concurrent sign-ups are all served")
  func manyAtOnce() async throws {
    try await Self.with { test throws in
      let connections = try (0..<100).map { _ in try LiveConnection(port: test.port) }
      for (number, connection) in connections.enumerated() {
        let body = #"{"email":"user\#(number)@x.example","password":"secret1","returnSecureToken":true}"#
        let head = "POST \(TestServer.identityHost)/v1/accounts:signUp?key=k HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        connection.send(Array((head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8))
      }
      for connection in connections { #expect(try connection.takeResponse().status == 200) }
    }
  }

  /// Makes all requests that only an emulator grants, and expects each to be refused without effect.
  private static func tryEverything(_ test: TestServer, headers: [String: String] = [:]) throws {
    let user = try test.signUp("a@x.example")
    let json = ["Content-Type": "application/json"].merging(headers) { $1 }
    let unsigned =
      Base64URL.encode(#"{"alg":"none","typ":"JWT"}"#.utf8) + "."
      + Base64URL.encode(#"{"sub":"\#(user["localId"])","user_id":"\#(user["localId"])","aud":"hearth"}"#.utf8) + "."
    for credential in [#"{"sub":"g1"}"#, unsigned] {
      let form = "id_token=\(credential)&providerId=google.com".replacing("\"", with: "%22")
      let body = #"{"requestUri":"http://localhost","postBody":"\#(form)","returnSecureToken":true}"#
      let answer = try test.app("accounts:signInWithIdp", body, headers: headers)
      #expect(answer.status >= 400 && answer["idToken"].isEmpty, "\(answer.text)")
    }
    for token in [#"{\"uid\":\"x\"}"#, unsigned] {
      let answer = try test.app("accounts:signInWithCustomToken", #"{"token":"\#(token)"}"#, headers: headers)
      #expect(answer.status >= 400 && answer["idToken"].isEmpty, "\(answer.text)")
    }
    #expect(
      try test.app("accounts:lookup", #"{"idToken":"\#(unsigned)"}"#, headers: headers).code == "INVALID_ID_TOKEN")
    #expect(try test.http("GET", "/\(user["localId"]).json?auth=\(unsigned)", headers: headers).status == 401)
    for (method, route) in [
      ("DELETE", "accounts"), ("GET", "oobCodes"), ("GET", "verificationCodes"), ("GET", "config"), ("PATCH", "config"),
    ] {
      let answer = try test.identity(method, "/emulator/v1/projects/hearth/" + route, headers: json)
      #expect(answer.status == 404, "\(method) \(route) \(answer.text)")
    }
    for project in ["hearth", "demo-a"] {
      let owner = try test.identity(
        "POST", own(project, "accounts:lookup"), #"{"localId":["x"]}"#, headers: Self.owner.merging(headers) { $1 })
      #expect(owner.status == 401)
    }
    let asked = try test.app("accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"a@x.example"}"#)
    #expect(asked.status == 200)
  }

  @Test(
    "Security 67: without --emulator its routes are absent, on development and production servers",
    arguments: [true, false])
  func absent(_ isDevelopment: Bool) async throws {
    try await TestServer.with(rules: Self.rules, mode: isDevelopment ? .dev : .serve) { test throws in
      try Self.tryEverything(test)
      let link = try await test.mailer.link(.resetPassword)
      let target = "/emulator/action?mode=resetPassword&apiKey=k&oobCode=\(code(of: link))&newPassword=stolen-1"
      #expect(try test.http("GET", target).body.contains("<form"), "a page, and nothing is done")
      #expect(try test.signIn("a@x.example").status == 200)
      let phone = try test.app("accounts:sendVerificationCode", #"{"phoneNumber":"+15555550100"}"#)
      #expect(phone.status == 400, "numbers do not sign in")
      let token = try TokenReader.read(try test.signIn("a@x.example")["idToken"])
      #expect(token.algorithm == "RS256")
      let other = try test.identity(
        "POST", Self.own("demo-a", "accounts:lookup"), "{}",
        headers: ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"])
      #expect(other.code == "CONFIGURATION_NOT_FOUND")
    }
  }

  @Test("Security 67: with --emulator, its routes refuse pages of other sites and requests through a proxy")
  func notForPages() async throws {
    for headers in [["Origin": "https://evil.example"], ["X-Forwarded-For": "127.0.0.1"]] {
      try await Self.with { test throws in
        try Self.tryEverything(test, headers: headers)
        let link = try await test.mailer.link(.resetPassword)
        let target = "/emulator/action?mode=resetPassword&apiKey=k&oobCode=\(code(of: link))&newPassword=stolen-1"
        #expect(try test.http("GET", target, headers: headers).body.contains("<form"))
        #expect(try test.signIn("a@x.example").status == 200)
      }
    }
  }
}
