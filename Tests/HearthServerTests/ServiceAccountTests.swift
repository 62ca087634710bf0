import Foundation
import HearthTree
import Testing

@testable import HearthCrypto
@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests of back-end programs with access tokens.
@Suite struct ServiceAccountTests {
  private static let closed = #"{"rules":{".read":false,".write":false}}"#

  private static func administer(_ test: TestServer, _ operation: String, _ body: String) throws -> JSON {
    let answer = try test.identity(
      "POST", "/hearth/v1/" + operation, body,
      headers: ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"])
    #expect(answer.status == 200, "\(answer.text)")
    return answer.json
  }

  /// Returns an access token for a service account, obtained as by back-end SDKs.
  private static func accessToken(_ test: TestServer, _ account: JSON) throws -> String {
    let key = try #require(RSAKey(privatePEM: Array((account["key"]?["private_key"]?.string ?? "").utf8)))
    let now = Int64(time(nil))
    let assertion = try SignedToken.rs256(
      claims: [
        .init("iss", .string(account["email"]?.string ?? "")),
        .init("scope", .string("https://www.googleapis.com/auth/cloud-platform")),
        .init("aud", .string("https://oauth2.googleapis.com/token")), .init("iat", .int(now)),
        .init("exp", .int(now + 3_600)),
      ], keyID: account["keyID"]?.string ?? "", key: key)
    let answer = try test.identity(
      "POST", "/oauth2.googleapis.com/token",
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)",
      headers: ["Content-Type": "application/x-www-form-urlencoded"])
    return try #require(answer.json["access_token"]?.string, "\(answer.text)")
  }

  @Test("disabling a service account ends only its sockets, within a second, and its requests at once")
  func disabled() async throws {
    try await TestServer.with(rules: Self.closed, mode: .dev) { test throws in
      let account = try Self.administer(test, "serviceAccounts:create", #"{"name":"backend"}"#)
      let other = try Self.administer(test, "serviceAccounts:create", #"{"name":"other"}"#)
      let (token, kept) = (try Self.accessToken(test, account), try Self.accessToken(test, other))
      func signedIn(_ credential: String, _ namespace: String = "default") throws -> LiveSocket {
        let socket = try test.socket("ns=" + namespace)
        socket.request("gauth", "{\"cred\":\"\(credential)\"}")
        #expect(try socket.next().hasPrefix("r 1 ok"))
        socket.request("q", #"{"p":"/a","h":""}"#)
        #expect(try socket.next() == "r 2 ok {}")
        return socket
      }
      let ended = [try signedIn(token), try signedIn(token, "another")]
      let left = [try signedIn(kept), try signedIn(try test.secret), try signedIn(try test.adminToken)]
      _ = try Self.administer(test, "serviceAccounts:disable", "{\"email\":\"\(account["email"]?.string ?? "")\"}")
      for socket in ended {
        #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
        #expect(try socket.next() == #"c {"p":"a"}"#)
      }
      #expect(try test.http("GET", "/a.json?access_token=\(token)").status == 401)
      #expect(try test.http("GET", "/a.json?access_token=\(kept)").status == 200)
      for socket in left {
        socket.request("g", #"{"p":"/a"}"#)
        #expect(try socket.next() == "r 3 ok null")
      }
    }
  }

  @Test("an account that is enabled again gets new tokens; adding a key to it ends none")
  func enabledAgain() async throws {
    try await TestServer.with(rules: Self.closed) { test throws in
      let account = try Self.administer(test, "serviceAccounts:create", #"{"name":"backend"}"#)
      let email = "\"email\":\"\(account["email"]?.string ?? "")\""
      let old = try Self.accessToken(test, account)
      for isDisabled in [true, false] {
        _ = try Self.administer(test, "serviceAccounts:disable", "{\(email),\"disabled\":\(isDisabled)}")
      }
      #expect(try test.http("GET", "/a.json?access_token=\(old)").status == 401)
      let other = try Self.administer(test, "serviceAccounts:create", #"{"name":"backend"}"#)
      let new = try Self.accessToken(test, other)
      _ = try Self.administer(test, "serviceAccounts:create", #"{"name":"backend"}"#)
      #expect(try test.http("GET", "/a.json?access_token=\(new)").status == 200)
    }
  }

  @Test("a token that is minted during the disabling of its account is invalid")
  func mintedTooLate() async throws {
    try await TestServices.with { test throws in
      let origin = RequestOrigin(address: "127.0.0.1", isFromLoopback: true)
      let now = SystemClock.now
      let late = try test.setup.keys.adminTokens.mint(
        nowSeconds: now.wallMilliseconds / 1000,
        owner: .init(email: "gone@hearth.iam.gserviceaccount.com", generation: 0),
        random: .system)
      #expect(test.authenticator.bearer(late, from: origin, now: now) == .refused)
      #expect((try? test.authenticator.caller(late, override: nil, from: origin, now: now)) == nil)
    }
  }

  @Test("the audit trail names the acting service account")
  func audit() async throws {
    try await TestServer.with { test throws in
      let account = try Self.administer(test, "serviceAccounts:create", #"{"name":"backend"}"#)
      let token = try Self.accessToken(test, account)
      let made = try test.app(
        "projects/hearth/accounts", #"{"email":"a@example.com"}"#, headers: ["Authorization": "Bearer \(token)"])
      #expect(made.status == 200, "\(made.text)")
      let trail = try Self.administer(test, "audit:tail", #"{"limit":20}"#)
      let text = String(decoding: trail.text(), as: UTF8.self)
      #expect(text.contains("by backend@hearth.iam.gserviceaccount.com"), "\(text)")
    }
  }
}
