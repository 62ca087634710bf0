import Foundation
import HearthTestKit
import HearthTree
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

/// Tests that the revocation of a credential reaches open sockets on every event loop and database.
@Suite struct RevocationTests {
  private static let rules = """
    {"rules": {"users": {"$uid": {
      ".read": "auth != null && auth.uid == $uid", ".write": "auth != null && auth.uid == $uid"}}}}
    """

  /// A signed-in socket with a listen to its user's data.
  private struct Visitor {
    let socket: LiveSocket
    let uid: String

    init(_ test: TestServer, _ signedIn: IdentityAnswer, namespace: String = "default") throws {
      socket = try test.socket("ns=\(namespace)")
      uid = signedIn["localId"]
      try signIn(signedIn["idToken"], number: 1)
      socket.request("q", #"{"p":"/users/\#(uid)","h":""}"#)
      #expect(try socket.next() == "r 2 ok {}")
    }

    func signIn(_ token: String, number: Int) throws {
      socket.request("auth", "{\"cred\":\"\(token)\"}")
      #expect(try socket.next().hasPrefix("r \(number) ok {\"auth\":{\"uid\":\"\(uid)\""))
    }

    /// Expects the credential to end without a request, and the listen with it.
    func expectEnd() throws {
      #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
      #expect(try socket.next() == #"c {"p":"users/\#(uid)"}"#)
      socket.request("g", #"{"p":"/users/\#(uid)"}"#)
      #expect(try socket.next().hasSuffix(#"permission_denied "Permission denied""#))
    }

    /// Expects the user to be signed in: the next message is the answer to this request.
    func expectSignedIn() throws {
      socket.request("g", #"{"p":"/users/\#(uid)"}"#)
      #expect(try socket.next().hasSuffix(" ok null"))
    }
  }

  private static func cause(_ name: String, _ test: TestServer, _ user: IdentityAnswer, email: String) async throws {
    let (uid, token) = (user["localId"], user["idToken"])
    let answer: IdentityAnswer
    switch name {
    case "password change":
      answer = try test.app("accounts:update", #"{"idToken":"\#(token)","password":"another1"}"#)
    case "reset":
      _ = try test.app("accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"\#(email)"}"#)
      let code = code(of: try await test.mailer.link(.resetPassword))
      answer = try test.app("accounts:resetPassword", #"{"oobCode":"\#(code)","newPassword":"another1"}"#)
    case "revoke":
      // As admin SDKs send it, from a machine with a slow clock.
      let since = Int(Date().timeIntervalSince1970) - 2
      answer = try test.administer("accounts:update", #"{"localId":"\#(uid)","validSince":"\#(since)"}"#)
    case "disable": answer = try test.administer("accounts:update", #"{"localId":"\#(uid)","disableUser":true}"#)
    case "admin delete": answer = try test.administer("accounts:delete", #"{"localId":"\#(uid)"}"#)
    default: answer = try test.app("accounts:delete", #"{"idToken":"\#(token)"}"#)
    }
    #expect(answer.status == 200, "\(name): \(answer.text)")
  }

  private static let refreshCodes = [
    "password change": "TOKEN_EXPIRED", "reset": "TOKEN_EXPIRED", "revoke": "TOKEN_EXPIRED",
    "disable": "USER_DISABLED", "admin delete": "USER_NOT_FOUND", "delete": "USER_NOT_FOUND",
  ]

  @Test(
    "Security 25: a revocation ends refreshing within one request, and live sockets within a second",
    arguments: ["password change", "reset", "revoke", "disable", "admin delete", "delete"])
  func endsEverything(cause: String) async throws {
    try await TestServer.with(rules: Self.rules, mode: .dev) { test throws in
      let user = try test.signUp("a@example.com")
      let other = try Visitor(test, try test.signUp("b@example.com"))
      // On both event loops, and in two databases.
      let visitors = try (0..<6).map { try Visitor(test, user, namespace: $0 < 3 ? "default" : "second") }
      try await Self.cause(cause, test, user, email: "a@example.com")
      #expect(try test.refresh(user["refreshToken"]).code == Self.refreshCodes[cause])
      for visitor in visitors { try visitor.expectEnd() }
      // The token is refused from now on, at every entry point.
      visitors[0].socket.request("auth", "{\"cred\":\"\(user["idToken"])\"}")
      #expect(try visitors[0].socket.next() == #"r 4 expired_token "Auth token is expired.""#)
      let target = "/users/\(user["localId"]).json?auth=\(user["idToken"])"
      #expect(try test.http("GET", target).status == 401)
      #expect(try test.app("accounts:lookup", "{\"idToken\":\"\(user["idToken"])\"}").status == 400)
      try other.expectSignedIn()
    }
  }

  @Test("a user that signed in again is not signed out")
  func newTokenStays() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let user = try test.signUp("a@example.com")
      let visitor = try Visitor(test, user)
      let changed = try test.app(
        "accounts:update",
        #"{"idToken":"\#(user["idToken"])","password":"another1","returnSecureToken":true}"#)
      try visitor.expectEnd()
      try visitor.signIn(changed["idToken"], number: 4)
      // The repeated revocation meets a connection with a valid token.
      visitor.socket.request("q", #"{"p":"/users/\#(visitor.uid)","h":""}"#)
      #expect(try visitor.socket.next() == "r 5 ok {}")
      try visitor.expectSignedIn()
    }
  }

  @Test("Security 33: the sockets of a deleted account stay signed out when its uid has an account again")
  func deletedUID() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      func make() throws { #expect(try test.administer("accounts", #"{"localId":"bob"}"#).status == 200) }
      func tokens() throws -> IdentityAnswer {
        try test.app("accounts:signInWithCustomToken", #"{"token":"uid:bob","returnSecureToken":true}"#)
      }
      func signIn(_ token: String) throws -> (LiveSocket, String) {
        let socket = try test.socket()
        socket.request("auth", "{\"cred\":\"\(token)\"}")
        return (socket, try socket.next())
      }
      try make()
      let old = [try tokens()["idToken"], try test.token(uid: "bob")]
      let sockets = try old.map { token in
        let (socket, answer) = try signIn(token)
        #expect(answer.hasPrefix("r 1 ok"))
        return socket
      }
      #expect(try test.administer("accounts:delete", #"{"localId":"bob"}"#).status == 200)
      for socket in sockets {
        #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
      }
      try make()
      for token in old { #expect(try signIn(token).1 == #"r 1 expired_token "Auth token is expired.""#) }
      #expect(try signIn(try tokens()["idToken"]).1.hasPrefix("r 1 ok"))
    }
  }

  @Test("linking and unlinking a provider keeps sockets signed in and the used token valid")
  func unlink() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let user = try test.signUp("a@example.com")
      let visitor = try Visitor(test, user)
      for change in [
        #""linkProviderUserInfo":{"providerId":"google.com","rawId":"7"}"#, #""deleteProvider":["google.com"]"#,
        #""linkProviderUserInfo":{"providerId":"google.com","rawId":"7"}"#, #""deleteProvider":["password"]"#,
      ] {
        #expect(try test.administer("accounts:update", "{\"localId\":\"\(visitor.uid)\",\(change)}").status == 200)
        try visitor.expectSignedIn()
      }
      _ = try test.administer(
        "accounts:update",
        #"{"localId":"\#(visitor.uid)","linkProviderUserInfo":{"providerId":"github.com","rawId":"8"}}"#)
      let body = #"{"idToken":"\#(user["idToken"])","deleteProvider":["github.com"]}"#
      #expect(try test.app("accounts:update", body).status == 200)
      try visitor.expectSignedIn()
      #expect(try test.app("accounts:lookup", "{\"idToken\":\"\(user["idToken"])\"}").status == 200)
      #expect(try test.refresh(user["refreshToken"]).status == 200)
    }
  }

  @Test("a token that is revoked while it signs in never leaves a socket signed in")
  func race() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      for round in 0..<5 {
        let user = try test.signUp("race\(round)@example.com")
        let uid = user["localId"]
        let sockets = try (0..<8).map { _ in try test.socket() }
        let revoking = Task.detached {
          try test.administer("accounts:update", #"{"localId":"\#(uid)","disableUser":true}"#).status
        }
        for socket in sockets { socket.request("auth", "{\"cred\":\"\(user["idToken"])\"}") }
        #expect(try await revoking.value == 200)
        for socket in sockets {
          var number = 1
          // The answer to the sign-in, possibly some allowed reads and the end of the credential, and then denied
          // reads.
          let isDenied = try await Polling.until {
            number += 1
            socket.request("g", #"{"p":"/users/\#(uid)"}"#)
            var last = try socket.next()
            while !last.hasPrefix("r \(number) ") { last = try socket.next() }
            return last == "r \(number) permission_denied \"Permission denied\""
          }
          #expect(isDenied)
        }
      }
    }
  }

  @Test("removing a signing key ends only its tokens")
  func removedKey() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let user = try test.signUp("a@example.com")
      let visitor = try Visitor(test, user)
      let legacy = try test.socket()
      legacy.request("auth", "{\"cred\":\"\(try test.token(uid: "legacy"))\"}")
      #expect(try legacy.next().hasPrefix("r 1 ok"))
      let header = user["idToken"].prefix { $0 != "." }
      let padded = header.replacing("-", with: "+").replacing("_", with: "/")
      let json = try #require(Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))
      let kid = try #require(JSON(parsing: json)?["kid"]?.string)
      let removed = try test.identity(
        "POST", "/hearth/v1/keys:remove", #"{"kind":"id-token","kid":"\#(kid)"}"#,
        headers: ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"])
      #expect(removed.status == 200, "\(removed.text)")
      try visitor.expectEnd()
      #expect(try test.app("accounts:lookup", "{\"idToken\":\"\(user["idToken"])\"}").code == "INVALID_ID_TOKEN")
      legacy.request("g", #"{"p":"/users/legacy"}"#)
      #expect(try legacy.next() == "r 2 ok null")
      let next = try test.refresh(user["refreshToken"])
      try visitor.signIn(next["id_token"], number: 4)
    }
  }

  @Test("removing a database secret ends its tokens and connections, and no others")
  func removedSecret() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      func operate(_ operation: String, _ body: String) throws -> IdentityAnswer {
        try test.identity(
          "POST", "/hearth/v1/" + operation, body,
          headers: ["Authorization": "Bearer \(try test.adminToken)", "Content-Type": "application/json"])
      }
      func signedIn(_ credential: String) throws -> LiveSocket {
        let socket = try test.socket()
        socket.request("auth", "{\"cred\":\"\(credential)\"}")
        #expect(try socket.next().hasPrefix("r 1 ok"))
        return socket
      }
      let ended = [try signedIn(try test.token(uid: "old")), try signedIn(try test.secret)]
      #expect(try operate("secrets:rotate", "{}").status == 200)
      let kept = try signedIn(try test.token(uid: "new"))
      let ids = try operate("secrets:list", "{}").json["secrets"]?.array ?? []
      let oldest = try #require(ids.last?["id"]?.string)
      #expect(ids.count == 2)
      #expect(try operate("secrets:remove", "{\"id\":\"\(oldest)\"}").status == 200)
      for socket in ended {
        #expect(try socket.next() == #"ac {"s":"expired_token","d":"Auth token is expired."}"#)
      }
      kept.request("g", #"{"p":"/users/new"}"#)
      #expect(try kept.next() == "r 2 ok null")
    }
  }

  @Test("signing out, or in as another user, removes a socket from the index of the former user")
  func index() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let (one, other) = (try test.signUp("a@example.com"), try test.signUp("b@example.com"))
      let socket = try test.socket()
      for user in [one, other] {
        socket.request("auth", "{\"cred\":\"\(user["idToken"])\"}")
        #expect(try socket.next().contains(" ok "))
      }
      try await Self.cause("disable", test, one, email: "")
      socket.request("g", #"{"p":"/users/\#(other["localId"])"}"#)
      #expect(try socket.next() == "r 3 ok null", "the first user is gone from here")
      socket.request("unauth", "{}")
      #expect(try socket.next().hasPrefix("r 4 ok"))
      try await Self.cause("disable", test, other, email: "")
      socket.request("g", #"{"p":"/x"}"#)
      #expect(try socket.next().hasPrefix("r 5 "), "no push in between")
    }
  }
}
