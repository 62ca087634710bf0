import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct SecrecyTests {
  @Test("Security 63: no credential is ever logged")
  func logHoldsNoSecret() async throws {
    let rules = #"{"rules":{"users":{"$uid":{".read":"auth != null && auth.uid == $uid"}}}}"#
    try await TestServer.with(rules: rules, isEmulator: true) { test throws in
      var secrets = ["pass-word-1", "pass-word-2", "pass-word-3", "wrong-word", "guessed-secret", "legacy-word"]
      let user = try test.signUp("a@example.com", "pass-word-1")
      secrets += [user["idToken"], user["refreshToken"], try test.secret, try test.adminToken]
      _ = try test.signIn("a@example.com", "wrong-word")
      _ = try test.refresh(user["refreshToken"])
      _ = try test.refresh("wrong-word")
      let bearer = ["Authorization": "Bearer guessed-secret"]
      _ = try test.app("accounts:lookup", "{\"idToken\":\"wrong-word\"}", headers: bearer)
      _ = try test.http("GET", "/users/\(user["localId"]).json?auth=\(user["idToken"])")
      _ = try test.http("GET", "/users/x.json?auth=\(user["idToken"])")
      _ = try test.http("GET", "/users/x.json?auth=guessed-secret")
      _ = try test.http("GET", "/users/x.json?auth=\(try test.secret)")
      _ = try test.identity("GET", "/v2/demo/users?&email=l@example.com&password=legacy-word&_method=POST&v=js-2.4.2")
      let legacy = try test.identity("GET", "/v2/demo/auth/password?&email=l@example.com&password=legacy-word")
      secrets.append(legacy["token"].isEmpty ? "legacy-word" : legacy["token"])
      _ = try test.app("accounts:sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"a@example.com"}"#)
      let link = try await test.mailer.link(.resetPassword)
      secrets.append(code(of: link))
      _ = try test.http("GET", "/emulator/action?mode=resetPassword&oobCode=\(code(of: link))")
      _ = try test.http(
        "POST", "/emulator/action", "mode=resetPassword&oobCode=\(code(of: link))&newPassword=pass-word-2")
      _ = try test.administer("accounts:update", #"{"localId":"\#(user["localId"])","password":"pass-word-3"}"#)
      let socket = try test.socket()
      for credential in [user["idToken"], "guessed-secret", try test.secret] {
        socket.request("auth", #"{"cred":"\#(credential)"}"#)
        _ = try socket.next()
      }
      // Signatures alone would be credentials as well.
      secrets += secrets.filter { $0.contains(".") }.compactMap { $0.split(separator: ".").last.map(String.init) }
      let log = test.log.lines
      #expect(log.contains { $0.contains("credential refused") && $0.contains("class=invalid_token") })
      for secret in secrets {
        #expect(!secret.isEmpty)
        for line in log { #expect(!line.contains(secret), "a secret is in the log: \(line.prefix(40))…") }
      }
      for line in log { #expect(!line.contains("oobCode") && !line.contains("password=") && !line.contains("auth=")) }
    }
  }

  @Test("Security 64: a refused credential is logged with its class and its client, in one line")
  func refusalsAreLogged() async throws {
    try await TestServer.with { test throws in
      _ = try test.http("GET", "/a.json?auth=a%0Aerror%20forged=line")
      _ = try test.http("GET", "/a.json?auth=a.b.c")
      let lines = test.log.lines.filter { $0.contains("credential refused") }
      #expect(lines.count == 2)
      for line in lines {
        #expect(line.contains("class=invalid_token") && line.contains("client=127.0.0.1"))
        #expect(!line.contains("forged") && !line.contains("\n"))
      }
    }
  }
}
