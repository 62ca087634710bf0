import Foundation
import HearthCrypto
import Testing

@testable import HearthGateway
@testable import HearthServer
@testable import HearthTransport

@Suite struct RESTToolsServerTests {
  static let rules = """
    {"rules": {
      "open": {".read": true, ".write": true},
      "mine": {"$uid": {".read": "auth.uid == $uid", ".write": "auth.uid == $uid"}}
    }}
    """

  private static func error(_ text: String) -> String { "{\n  \"error\" : \"\(text)\"\n}" }

  @Test("settings are for administrators, and are kept")
  func settings() async throws {
    let test = try await TestServer(rules: Self.rules)
    do {
      let admin = "auth=\(try test.secret)"
      let names = [
        "defaultWriteSizeLimit", "strictTriggerValidation", "functionTriggers", "rulesets", "ruleset_labels",
      ]
      for name in names {
        let target = "/.settings/\(name).json"
        for method in ["GET", "PUT", "POST", "DELETE"] {
          #expect(try test.answer(method, target, "\"small\"") == "401 \(Self.error("Unauthorized request."))")
        }
        #expect(try test.http("GET", "\(target)?auth=\(try test.token(uid: "ann"))").status == 401)
        #expect(try test.http("PATCH", "\(target)?\(admin)", "{}").status == 405)
        #expect(try test.http("GET", "\(target)?\(admin)&ns=unknown").status == 404)
      }
      let limit = "/.settings/defaultWriteSizeLimit.json?\(admin)"
      #expect(try test.answer("GET", limit) == #"200 "large""#)
      #expect(try test.answer("PUT", limit, #""small""#) == #"200 "small""#)
      for body in [#""tiny""#, #""huge""#, "5", "", "{"] {
        #expect(try test.http("PUT", limit, body).status == 400, "\(body)")
      }
      let strict = "/.settings/strictTriggerValidation.json?\(admin)"
      #expect(try test.answer("GET", strict) == "200 true")
      #expect(try test.answer("PUT", strict, "false") == "200 false")
      #expect(try test.http("PUT", strict, "\"false\"").status == 400)
      #expect(try test.answer("GET", "/.settings/profile.json?\(admin)") == "404 \(Self.error("Not found."))")
    } catch {
      await test.server.stop()
      throw error
    }
    await test.server.stop()
    let again = try await TestServer(rules: Self.rules, in: test)
    do {
      let admin = "auth=\(try again.secret)"
      #expect(try again.answer("GET", "/.settings/defaultWriteSizeLimit.json?\(admin)") == #"200 "small""#)
      #expect(try again.answer("GET", "/.settings/strictTriggerValidation.json?\(admin)") == "200 false")
    } catch {
      await again.server.stop()
      throw error
    }
    await again.server.stop()
  }

  @Test("an emulator of functions registers its triggers")
  func triggers() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true) { test throws in
      let owner = ["Authorization": "Bearer owner"]
      let target = "/.settings/functionTriggers.json?ns=demo"
      let trigger = #"{"name":"p/f","path":"/a/{id}","event":"providers/x","topic":"t"}"#
      #expect(try test.answer("POST", target, trigger, headers: owner) == #"200 {"status":"ok"}"#)
      #expect(try test.answer("POST", target, trigger, headers: owner) == #"200 {"status":"ok"}"#)
      #expect(try test.answer("GET", target, headers: owner) == "200 [\(trigger)]")
      #expect(try test.http("POST", target, "[]", headers: owner).status == 400)
      #expect(try test.http("POST", target, #"{"name":1}"#, headers: owner).status == 400)
      let long = #"{"name":"\#(String(repeating: "n", count: 20_000))"}"#
      #expect(try test.http("POST", target, long, headers: owner).status == 400)
    }
  }

  @Test("rule sets are stored by an id and activated by a label")
  func rulesets() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let admin = "auth=\(try test.secret)"
      let (sets, labels) = ("/.settings/rulesets.json?\(admin)", "/.settings/ruleset_labels.json?\(admin)")
      #expect(try test.answer("GET", sets) == #"200 {"rulesets":[]}"#)
      #expect(try test.answer("GET", labels) == "200 {}")
      func keep(_ source: String) throws -> String {
        let body = try test.http("POST", sets, source).body
        #expect(body.hasPrefix("{\"id\":\"") && body.utf8.count == 29, "\(body)")
        return String(body.split(separator: "\"")[3])
      }
      let first = try keep("{\"rules\": {\".read\": true}} // kept\n")
      let second = try keep("{\"rules\":{}}")
      #expect(try test.http("GET", "/x.json").status == 401)
      #expect(try test.http("POST", sets, "{\"rules\":{\".read\":\"x\"}}").body.contains("1:20: Unknown variable 'x'."))
      #expect(try test.http("POST", sets, "").status == 400)
      let kept = try test.http("GET", "/.settings/rulesets/\(first).json?\(admin)").body
      #expect(kept.hasPrefix("{\"id\":\"\(first)\",\"createdAt\":\"20"))
      #expect(kept.hasSuffix(#"Z","source":"{\"rules\": {\".read\": true}} // kept\n"}"#))
      #expect(try test.http("GET", "/.settings/rulesets/other.json?\(admin)").status == 404)
      for body in ["{}", "[]", "x", "{\"stable\":5}", "{\"stable\":\"other\"}"] {
        #expect(try test.http("PUT", labels, body).status == 400, "\(body)")
      }
      #expect(try test.http("PUT", labels, "{\"stable\":\"\(first)\",\"canary\":\"other\"}").status == 400)
      #expect(try test.http("GET", "/x.json").status == 401)
      let both = "{\"stable\":\"\(first)\",\"canary\":\"\(second)\"}"
      #expect(try test.answer("PUT", labels, both) == #"200 {"status":"ok"}"#)
      #expect(try test.answer("GET", "/x.json") == "200 null")
      #expect(try test.answer("GET", labels) == "200 \(both)")
      #expect(try test.http("GET", "/.settings/rules.json?\(admin)").body == "{\"rules\": {\".read\": true}} // kept\n")
      // The rules in force now differ from the rule set with the label `stable`.
      #expect(try test.http("PUT", "/.settings/rules.json?\(admin)", "{\"rules\":{}}").status == 200)
      #expect(try test.answer("GET", labels) == "200 {\"canary\":\"\(second)\"}")
    }
  }

  @Test("an uploaded file replaces the value at its path")
  func upload() async throws {
    try await TestServer.with(mode: .dev, isEmulator: true) { test throws in
      func form(_ content: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.json\"\r\n\r\n\(content)\r\n--b--\r\n"
      }
      let type = ["Content-Type": "multipart/form-data; boundary=b", "Origin": "http://localhost:4000"]
      let target = "/a/b/.upload?ns=demo&access_token=owner&writeSizeLimit=unlimited&disableTriggers=true"
      let answer = try test.http("POST", target, form(#"{"x":{".value":1,".priority":2}}"#), headers: type)
      #expect(answer.status == 200 && answer.body == #"{"status":"ok"}"#)
      #expect(answer.headers["access-control-allow-origin"] == "*")
      let read = "/a.json?ns=demo&auth=owner&format=export"
      #expect(try test.answer("GET", read) == #"200 {"b":{"x":{".value":1,".priority":2}}}"#)
      #expect(try test.http("POST", target, form("{\"x\""), headers: type).status == 400)
      #expect(try test.http("POST", target, "{\"x\":1}", headers: type).status == 400)
      #expect(try test.http("POST", target, form("1")).status == 400)
      #expect(try test.http("PUT", target, form("1"), headers: type).status == 405)
      #expect(try test.http("POST", "/a/b/.upload?ns=demo", form("1"), headers: type).status == 401)
      #expect(try test.http("POST", "/.info/.upload?access_token=owner", form("1"), headers: type).status == 400)
      #expect(try test.http("POST", "/a/.priority/.upload?access_token=owner", form("1"), headers: type).status == 400)
      #expect(try test.answer("GET", read) == #"200 {"b":{"x":{".value":1,".priority":2}}}"#)
      #expect(try test.http("POST", "/.upload?ns=demo&access_token=owner", form("7"), headers: type).status == 200)
      #expect(try test.answer("GET", "/.json?ns=demo&auth=owner") == "200 7")
    }
  }

  @Test("rules that tools send to a wrong path are accepted, and are never data")
  func misplacedRules() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let bearer = ["Authorization": "Bearer \(try test.adminToken)"]
      let open = "{\"rules\":{\".read\":true}}"
      #expect(
        try test.answer("PUT", "/?ns=default/.settings/rules.json?dryRun=true", open, headers: bearer)
          == #"200 {"status":"ok"}"#)
      #expect(try test.http("GET", "/x.json").status == 401)
      #expect(try test.http("PUT", "/?ns=default/.settings/rules.json", open).status == 401)
      #expect(
        try test.answer("PUT", "/?ns=default/.settings/rules.json", open, headers: bearer) == #"200 {"status":"ok"}"#)
      #expect(try test.answer("GET", "/x.json") == "200 null")
      for target in ["/?ns=default/.settings/other.json", "/?ns=/.settings/rules.json", "/?ns=default/x.json"] {
        #expect(try test.http("PUT", target, open, headers: bearer).status == 400, "\(target)")
      }
    }
  }

  @Test("an administrator's delete needs the name of one of several databases")
  func unnamedDeletes() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let admin = "auth=\(try test.secret)"
      func fill() throws { _ = try test.http("PUT", "/.json?ns=default&\(admin)", #"{"open":{"a":1,"b":2}}"#) }
      try fill()
      #expect(try test.answer("PATCH", "/open.json?print=silent&writeSizeLimit=tiny&\(admin)", "null") == "204 ")
      #expect(
        try test.http("PUT", "/.settings/rules.json?ns=other&\(admin)", Self.rules).status == 200)
      try fill()
      let refused = RESTFailure.databaseNotNamed.text
      for (method, body) in [("DELETE", nil), ("PATCH", "null"), ("PATCH", #"{"a":null}"#), ("PUT", "null")] {
        #expect(try test.answer(method, "/.json?\(admin)", body) == "400 \(Self.error(refused))", "\(method)")
        #expect(try test.http(method, "/open/none.json?\(admin)", body).status == 200, "\(method)")
      }
      #expect(try test.http("PATCH", "/open.json?\(admin)", #"{"a":null,"c":3}"#).status == 200)
      #expect(try test.http("POST", "/open.json?\(admin)", "null").status == 200)
      #expect(try test.http("DELETE", "/open/b.json").status == 200)
      #expect(try test.answer("GET", "/open.json") == #"200 {"c":3}"#)
      #expect(try test.answer("DELETE", "/.json?ns=default&\(admin)") == "200 null")
    }
  }

  @Test("an administrator's delete applies to the configured default database")
  func deletesInANamedDefault() async throws {
    try await TestServer.with(rules: Self.rules) {
      ($0.defaultNamespace, $0.isDefaultNamed) = ("shop", true)
    } _: { test throws in
      let admin = "auth=\(try test.secret)"
      #expect(try test.http("PUT", "/.settings/rules.json?ns=other&\(admin)", Self.rules).status == 200)
      #expect(try test.answer("PUT", "/a.json?ns=shop&\(admin)", "1") == "200 1")
      #expect(try test.answer("DELETE", "/.json?\(admin)") == "200 null")
      #expect(try test.answer("GET", "/.json?ns=shop&\(admin)") == "200 null")
    }
  }

  @Test("a debugging credential gets the evaluation of the rules")
  func explanations() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let now = Int64(time(nil))
      let token = try LegacyTokenMinter(secrets: try test.keys.legacySecrets).mint(
        uid: "ann", issuedAtSeconds: now, options: .init(expiresAtSeconds: now + 3600, debug: true))
      let header = "x-firebase-auth-debug"
      let read = try test.http("GET", "/mine/bob.json?auth=\(token)")
      let rule = ".read at /mine/$uid (3:31): auth.uid == $uid"
      let denied =
        "read /mine/bob is denied: no .read along the path is true; the last one is .read at /mine/$uid (3:31)"
      #expect(read.status == 401)
      #expect(read.headers[header] == #"\#(denied); \#(rule) => false [auth.uid = "ann", $uid = "bob"]"#)
      let own = try test.http("GET", "/mine/ann.json?auth=\(token)")
      #expect(own.status == 200)
      #expect(
        own.headers[header]
          == #"read /mine/ann is allowed by .read at /mine/$uid (3:31); \#(rule) => true [auth.uid = "ann", $uid = "ann"]"#
      )
      let none = try test.http("GET", "/x%C3%A9.json?auth=\(token)")
      #expect(none.headers[header] == "read /x?? is denied: no rule applies to this path")
      let write = try test.http("PUT", "/mine/bob.json?auth=\(token)", "1")
      #expect(write.status == 401)
      #expect(write.headers[header]?.hasPrefix("put /mine/bob is denied: no .write along the path is true") == true)
      for target in ["/mine/bob.json", "/mine/bob.json?auth=\(try test.token(uid: "ann"))"] {
        #expect(try test.http("GET", target).headers[header] == nil)
        #expect(try test.http("PUT", target, "1").headers[header] == nil)
      }
    }
  }

  @Test("a simulating credential writes no data, despite its other permissions")
  func simulated() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let now = Int64(time(nil))
      let minter = LegacyTokenMinter(secrets: try test.keys.legacySecrets)
      func token(_ options: LegacyTokenMinter.Options) throws -> String {
        try minter.mint(uid: "ann", issuedAtSeconds: now, options: options)
      }
      let simulator = "auth=\(try token(.init(admin: true, simulate: true)))"
      let admin = "auth=\(try token(.init(admin: true)))"
      let ruleset = #"{"rules":{".read":true,".write":true}}"#
      let form = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.json\"\r\n\r\n7\r\n--b--\r\n"
      let keep = try test.http("POST", "/.settings/rulesets.json?\(admin)", ruleset).body
      let id = String(keep.split(separator: "\"")[3])
      let writes: [(method: String, path: String, body: String?)] = [
        ("PUT", "/open/a.json", "1"), ("PATCH", "/open.json", #"{"a":1}"#), ("POST", "/open.json", "1"),
        ("DELETE", "/open.json", nil), ("POST", "/open/.upload", form), ("PUT", "/.settings/rules.json", ruleset),
        ("POST", "/.settings/rulesets.json", ruleset),
        ("PUT", "/.settings/ruleset_labels.json", #"{"stable":"\#(id)"}"#),
        ("PUT", "/.settings/defaultWriteSizeLimit.json", #""small""#),
        ("PUT", "/.settings/strictTriggerValidation.json", "false"),
        ("POST", "/.settings/functionTriggers.json", #"{"name":"f"}"#),
      ]
      let shown = [
        "/.json", "/.settings/rules.json", "/.settings/rulesets.json", "/.settings/ruleset_labels.json",
        "/.settings/defaultWriteSizeLimit.json", "/.settings/strictTriggerValidation.json",
        "/.settings/functionTriggers.json",
      ]
      func state() throws -> [String] { try shown.map { try test.answer("GET", "\($0)?\(simulator)") } }
      #expect(try test.http("PUT", "/open/b.json?\(admin)", "2").status == 200)
      let before = try state()
      #expect(before.allSatisfy { $0.hasPrefix("200 ") }, "\(before)")
      for write in writes {
        let type = write.body == form ? ["Content-Type": "multipart/form-data; boundary=b"] : [:]
        #expect(
          try test.answer(write.method, "\(write.path)?\(simulator)", write.body, headers: type)
            == "400 \(Self.error("This server does not support a simulated write."))", "\(write.method) \(write.path)")
      }
      #expect(try state() == before)
      // Each of them is a write that an administrator may make.
      for write in writes {
        let type = write.body == form ? ["Content-Type": "multipart/form-data; boundary=b"] : [:]
        #expect(
          try test.http(write.method, "\(write.path)?ns=default&\(admin)", write.body, headers: type).status == 200,
          "\(write.method) \(write.path)")
      }
    }
  }

  @Test("a write is answered with its value in the format of the request")
  func echoes() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      let prioritised = #"{"a":{".value":1,".priority":"p"},"l":{"0":1,"1":2}}"#
      #expect(try test.answer("PUT", "/open.json", prioritised) == "200 \(prioritised)")
      #expect(try test.answer("PATCH", "/open.json", prioritised) == "200 \(prioritised)")
      let plain = #"{"a":".priority","l":[1,2]}"#
      #expect(try test.answer("PUT", "/open.json", plain) == "200 \(plain)")
      #expect(
        try test.answer("PATCH", "/open.json?print=pretty", #"{"a/b":{"x":"\n"},"l":null,"n":[1]}"#)
          == """
          200 {
            "a/b" : {
              "x" : "\\n"
            },
            "l" : null,
            "n" : [ 1 ]
          }
          """)
      #expect(try test.answer("PATCH", "/open.json?print=pretty", "{}") == "200 { }")
    }
  }

  @Test("scripts and downloads get the same answers in an envelope")
  func envelopes() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      #expect(try test.http("PUT", "/open/a.json", "[1,2]").status == 200)
      let script = try test.http("GET", "/open/a.json?callback=on.data&print=pretty")
      #expect(script.body == "on.data([ 1, 2 ]);")
      #expect(script.headers["content-type"] == "application/javascript; charset=utf-8")
      #expect(script.headers["x-content-type-options"] == "nosniff")
      let denied = try test.http("GET", "/closed.json?callback=f")
      #expect(denied.status == 401 && denied.body == "f(\(Self.error("Permission denied")));")
      let broken = try test.http("GET", "/a.b.json?callback=f")
      #expect(broken.status == 400 && broken.body == "f(\(Self.error("Invalid token in path")));")
      #expect(try test.http("GET", "/open/a.json?callback=f(").status == 400)
      #expect(try test.http("PUT", "/open/a.json?callback=f", "3").status == 400)
      #expect(try test.answer("GET", "/open/a.json") == "200 [1,2]")
      let file = try test.http("GET", "/open/a.json?download=a.json")
      #expect(file.headers["content-disposition"] == "attachment; filename=\"a.json\"")
      #expect(try test.answer("GET", "/open/a.json?timeout=15min") == "200 [1,2]")
    }
  }

  @Test("a condition that does not apply to a method is refused")
  func conditions() async throws {
    try await TestServer.with(rules: Self.rules) { test throws in
      for method in ["PUT", "PATCH", "POST", "DELETE"] {
        #expect(try test.http(method, "/open/a.json", "{}", headers: ["If-None-Match": "*"]).status == 400)
      }
      let put = try test.http("PUT", "/open/a.json", "1", headers: ["X-Firebase-ETag": "true"])
      let read = try test.http("GET", "/open/a.json", headers: ["X-Firebase-ETag": "true"])
      #expect(put.headers["etag"] == read.headers["etag"] && read.headers["etag"]?.utf8.count == 28)
      #expect(try test.http("GET", "/open/a.json").headers["etag"] == nil)
      let posted = try test.http("POST", "/open/list.json", "1", headers: ["X-Firebase-ETag": "true"])
      #expect(posted.headers["etag"] == read.headers["etag"])
      let patched = try test.http("PATCH", "/open.json", #"{"a":1}"#, headers: ["X-Firebase-ETag": "true"])
      #expect(patched.status == 200 && patched.headers["etag"] == nil)
      let deleted = try test.http("DELETE", "/open/a.json", headers: ["X-Firebase-ETag": "true"])
      #expect(deleted.headers["etag"] == "null_etag")
      #expect(try test.http("PUT", "/open/a.json", "1", headers: ["If-Match": "*"]).status == 412)
      #expect(try test.http("GET", "/open/a.json", headers: ["If-Match": "null_etag"]).status == 400)
    }
  }
}
