import HearthTestKit
import HearthTree
import RandomTestKit
import Testing

@testable import HearthAccounts
@testable import HearthIdentity

@Suite struct HostileRequestTests {
  static let routes: [(method: String, path: String)] =
    [
      "signUp", "signInWithPassword", "signInWithCustomToken", "signInWithIdp", "lookup", "update", "delete",
      "sendOobCode", "resetPassword", "signInWithEmailLink", "createAuthUri", "sendVerificationCode",
    ].map { ("POST", "/v1/accounts:" + $0) }
    + ["start", "finalize", "withdraw"].map { ("POST", "/v2/accounts/mfaEnrollment:" + $0) }
    + ["start", "finalize"].map { ("POST", "/v2/accounts/mfaSignIn:" + $0) }
    + [
      "accounts", "accounts:lookup", "accounts:update", "accounts:delete", "accounts:sendOobCode",
      "accounts:batchDelete", "accounts:batchCreate", "accounts:query",
    ].map { ("POST", "/v1/projects/demo-test/" + $0) }
    + [
      ("POST", "/v1/projects/demo-test:createSessionCookie"), ("POST", "/v1/token"),
      ("POST", "/v2/accounts:revokeToken"),
      ("GET", "/v1/projects/demo-test/accounts:batchGet"), ("GET", "/v1/projects"), ("GET", "/v2/passwordPolicy"),
      ("GET", "/v2/recaptchaConfig"),
    ]

  /// Member names with a meaning in some operation, so that random bodies reach many code paths.
  private static let names = [
    "idToken", "email", "password", "displayName", "photoUrl", "localId", "oobCode", "newPassword", "requestType",
    "newEmail", "continueUrl", "continueUri", "identifier", "providerId", "postBody", "requestUri", "pendingToken",
    "returnSecureToken", "returnIdpCredential", "autoCreate", "token", "grant_type", "refresh_token", "tenantId",
    "targetProjectId", "deleteAttribute", "deleteProvider", "customAttributes", "mfaPendingCredential",
    "mfaEnrollmentId", "totpVerificationInfo", "totpEnrollmentInfo", "sessionInfo", "verificationCode", "users",
    "hashAlgorithm", "signerKey", "validSince", "createdAt", "localIds", "force", "mfa", "linkProviderUserInfo",
    "disableUser", "emailVerified", "phoneNumber", "validDuration", "maxResults", "nextPageToken", "returnOobLink",
  ]

  private struct RequestGenerator {
    var random: SeededRandom
    var tokens: [String]

    mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    mutating func value(depth: Int) -> JSON {
      switch below(depth > 3 ? 9 : 11) {
      case 0: return .null
      case 1: return .bool(below(2) == 0)
      case 2: return .int([0, -1, 1, Int64.max, Int64.min, 1 << 53][below(6)])
      case 3: return .double([0.5, -1e300, 1e19, 1e-300][below(4)])
      case 4: return .string(tokens[below(tokens.count)])
      case 5:
        return .string(["", " ", "a@b.example", "\u{0}", "\r\n", "é\u{301}", "😀", "%00", "../..", "1"][below(10)])
      case 6: return .string(String(repeating: ["a", "@", "\u{FFFF}", "."][below(4)], count: below(3_000)))
      case 7:
        return .string(["PASSWORD_RESET", "VERIFY_EMAIL", "EMAIL_SIGNIN", "refresh_token", "google.com"][below(5)])
      case 8: return .string("providerId=google.com&id_token=\(below(9))~a\(below(3))@b.example~yes")
      case 9: return .array((0..<below(4)).map { _ in value(depth: depth + 1) })
      default: return object(depth: depth + 1)
      }
    }

    mutating func object(depth: Int) -> JSON {
      .object((0..<below(8)).map { _ in JSON.Member(names[below(names.count)], value(depth: depth)) })
    }

    /// Returns JSON, possibly damaged.
    mutating func body() -> [UInt8] {
      var bytes = object(depth: 0).text()
      switch below(6) {
      case 0: if !bytes.isEmpty { bytes[below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
      case 1: bytes.removeLast(below(bytes.count + 1))
      case 2: bytes += bytes
      default: break
      }
      return bytes
    }
  }

  @Test("Security 60: No route fails on any body", arguments: 1...4)
  func anyBody(seed: Int) async throws {
    let fixture = try IdentityFixture(seed: UInt64(seed))
    let user = try await fixture.signUp("a@b.example")
    let other = try await fixture.anonymous()
    var generator = RequestGenerator(
      random: SeededRandom(seed: UInt64(seed)),
      tokens: [user.idToken, user.refreshToken, other.idToken, user.localID, "demo-test"])
    for round in 0..<8 {
      for route in Self.routes {
        let body = generator.body()
        let isAdministrator = generator.below(3) == 0
        let answer = try await fixture.send(
          route.path, body, method: route.method,
          query: route.method == "GET" ? [("maxResults", String(round)), ("nextPageToken", "%")] : [],
          authority: isAdministrator ? .administrator("test") : .none, address: "192.0.2.\(generator.below(200))")
        #expect(answer.status < 500 || answer.status == 501, "\(route.path): \(String(decoding: body, as: UTF8.self))")
        if answer.status != 200 { expectError(answer, route.path) }
      }
    }
  }

  @Test("Security 61: Every error has its message twice, and its code is separated from the text by exactly ' : '")
  func everyError() {
    let texts: Set<AccountError.Code> = [.unavailable, .internalError, .outcomeUnknown]
    for code in AccountError.Code.allCases where !texts.contains(code) {
      for detail in [nil, "some text"] {
        let response = AccountError(code, detail).response()
        let error = JSON(parsing: response.body)?["error"]
        let message = error?["message"]?.string ?? ""
        #expect(message == (detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue))
        #expect(error?["errors"]?.array?.first?["message"] == .string(message))
        #expect(error?["code"]?.int == Int64(response.status))
      }
    }
    for code in texts {
      let response = AccountError(code, "secret detail").response()
      #expect(response.status >= 500)
      #expect(JSON(parsing: response.body) == nil, "clients take JSON for a verdict on their session")
      #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
    }
  }

  private func expectError(_ answer: IdentityFixture.Answer, _ path: String) {
    let message = answer.error ?? ""
    #expect(!message.isEmpty, "\(path): \(answer.text)")
    #expect(answer.json["error"]?["errors"]?.array?.first?["message"] == .string(message))
    let code = message.prefix { $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }
    #expect(code.count >= 4)
    let rest = message.dropFirst(code.count)
    #expect(rest.isEmpty || rest.hasPrefix(" : "), "\(message)")
  }

  @Test("Bodies that are too deep, too large or of another type are refused")
  func limits() async throws {
    let fixture = try IdentityFixture()
    func status(_ body: String) async throws -> Int {
      try await fixture.send("accounts:signUp", Array(body.utf8)).status
    }
    let deep = String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40)
    #expect(try await status(deep) == 400)
    #expect(try await status("[]") == 400)
    #expect(try await status("\"x\"") == 400)
    #expect(try await status("{\"email\":\"\(String(repeating: "a", count: 300_000))\"}") == 413)
    let long = String(repeating: "x", count: 9_000)
    #expect(try await status("{\"email\":\"\(long)\",\"password\":\"123456\"}") == 400)
    #expect(try await fixture.signUp("a@b.example", String(repeating: "x", count: 4_096)).status == 200)
    #expect(try await fixture.signUp("c@d.example", String(repeating: "x", count: 4_097)).status == 400)
    #expect(try await fixture.signIn("a@b.example", String(repeating: "x", count: 4_096)).status == 200)
    // Every JSON parser uses the last value of a repeated name.
    let twice = try await fixture.send(
      "accounts:signInWithPassword", Array("{\"email\":\"x\",\"email\":\"a@b.example\",\"password\":\"\(long)\"}".utf8))
    #expect(twice.error?.hasPrefix("INVALID_ARGUMENT") == true)
  }

  @Test("Security 62: An unavailable server answers without JSON where clients would sign out")
  func overload() async throws {
    let fixture = try IdentityFixture()
    let user = try await fixture.signUp("a@b.example")
    fixture.accounts.store.close()
    let refresh = try await fixture.refresh(user.refreshToken)
    #expect(refresh.status == 503)
    #expect(JSON(parsing: refresh.response.body) == nil)
    #expect(refresh.response.headers.contains { $0.name == "Retry-After" })
    // Reads continue.
    #expect(try await fixture.lookup(user.idToken).status == 200)
  }
}
