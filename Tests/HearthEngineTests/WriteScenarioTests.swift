import HearthEngine
import HearthRules
import HearthTestKit
import HearthTree
import Testing

/// Tests of single writes: priorities, server values, hashes, limits. The tests list every effect.
@Suite struct WriteScenarioTests {
  @Test func `a merge of only its own location is a put, and listeners below get their part`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      1 listen /a
        1 ok
      2 listen /a/b/c
        2 ok
      1 merge /a {"": {"b": {"c": 1}}}
        1 < put /a {"b":{"c":1}}
        2 < put /a/b/c 1
        1 written {"b":{"c":1}}
      1 merge / {"/": {"a": {"b": 2}}}
        1 < put /a {"b":2}
        2 < put /a/b/c null
        1 written {"a":{"b":2}}
      1 merge /a {".priority": 3}
        1 < merge /a {.priority: 3}
        1 written {"b":2,".priority":3}
      """)
  }

  @Test func `a value with fewer children than there are listens reaches only the listens of changed children`() throws
  {
    let names = ["b", "c", "d", "e", "f", "g/x"]
    let listens = names.map { "1 listen /a/\($0)\n  1 ok" }.joined(separator: "\n")
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      \(listens)
      2 put /a {"c": 1, "d": 2}
        1 < put /a/c 1
        1 < put /a/d 2
        2 written {"c":1,"d":2}
      2 put /a {"d": 2, "g": {"x": 3}}
        1 < put /a/c null
        1 < put /a/g/x 3
        2 written {"d":2,"g":{"x":3}}
      2 put /a 5
        1 < put /a/d null
        1 < put /a/g/x null
        2 written 5
      """)
  }

  @Test func `a priority is written and delivered alone, and refused without a value`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      1 listen /a
        1 ok
      1 put /a/.priority 3
        1 invalid-data
      1 put /a {"b": 1}
        1 < put /a {"b":1}
        1 written {"b":1}
      1 put /a/.priority 3
        1 < put /a/.priority 3
        1 written {"b":1,".priority":3}
      1 put /a/.priority 3
        1 written {"b":1,".priority":3}
      1 put /a/b/.priority "x"
        1 < put /a/b/.priority "x"
        1 written {".value":1,".priority":"x"}
      1 put /a/.priority null
        1 < put /a/.priority null
        1 written {"b":{".value":1,".priority":"x"}}
      1 put /a/b null
        1 < put /a/b null
        1 written null
      """)
  }

  @Test func `a merge is made in its order, and a node that is empty in between loses its priority`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      data {"a": {"b": 1, ".priority": 5}}
      1 connect
        1 ok
      1 listen /a
        1 < put /a {"b":1,".priority":5}
        1 ok
      1 merge /a {"c": 2, "b": null}
        1 < merge /a {c: 2, b: null}
        1 written {"c":2,".priority":5}
      1 merge /a {"c": null, "b": 3}
        1 < merge /a {c: null, b: 3}
        1 written {"b":3}
      """)
  }

  @Test func `server values are resolved once, from the former value, and delivered resolved`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": "newData.child('at').val() == now || newData.val() == null"}}
      time 1234
      1 connect
        1 ok
      1 listen /
        1 ok
      1 put / {"at": {".sv": "timestamp"}, "n": {".sv": {"increment": 2}}}
        1 < put / {"at":1234,"n":2}
        1 written {"at":1234,"n":2}
      1 merge / {"at": {".sv": "timestamp"}, "n": {".sv": {"increment": 2}}, "m": {".sv": "timestamp"}}
        1 < merge / {n: 4, m: 1234}
        1 written {"at":1234,"m":1234,"n":4}
      1 put /.priority {".sv": {"increment": 5}}
        1 < put /.priority 5
        1 written {"at":1234,"m":1234,"n":4,".priority":5}
      1 put /.priority {".sv": {"increment": 5}}
        1 < put /.priority 10
        1 written {"at":1234,"m":1234,"n":4,".priority":10}
      """)
  }

  @Test func `a sum stays in the range of a number`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      data {"n": 1.7e308}
      1 connect
        1 ok
      1 put /n {".sv": {"increment": 1.7e308}}
        1 written 1.7976931348623157e+308
      """)
  }

  @Test func `a put with a hash changes only the value that its writer has seen`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": "newData.val() != 13"}}
      1 connect
        1 ok
      1 swap - /n 1
        1 written 1
      1 swap - /n 2
        1 stale 1
      1 swap YPVfR2bXt/lcDjiQZ8pOkAd3qkQ= /n 2
        1 written 2
      1 swap YPVfR2bXt/lcDjiQZ8pOkAd3qkQ= /n 13
        1 stale 2
      """)
  }

  @Test func `a client without read permission learns no value by hashes`() throws {
    try expectScenario(
      """
      rules {"rules": {".write": "newData.val() == 2"}}
      data 1
      1 connect
        1 ok
      1 swap wrong / 3
        log 1 compare /: no rule
        1 permission-denied
      1 swap wrong / 2
        log 1 compare /: no rule
        1 permission-denied
      1 swap YPVfR2bXt/lcDjiQZ8pOkAd3qkQ= / 3
        log 1 compare /: no rule
        1 permission-denied
      1 swap YPVfR2bXt/lcDjiQZ8pOkAd3qkQ= / 2
        log 1 compare /: no rule
        1 permission-denied
      1 swap - / 2
        log 1 compare /: no rule
        1 permission-denied
      """)
  }

  @Test func `a response reveals only data that its writer may read`() throws {
    let rules = try RuleSet.compile(#"{"rules": {".write": true, "open": {".read": true}}}"#)
    var engine = Engine(state: DatabaseState(root: .empty, rules: rules, position: 0))
    func isShown(_ place: Path, _ shown: [Path], as principal: Principal = .signedOut) -> Bool {
      let write = WriteOperation(.put(Location(path: place), WriteValue(Node(.int(1)))), shownPaths: shown)
      let command = Command(
        connection: ConnectionID(rawValue: 1), request: 1, principal: principal, action: .write(write))
      let effects = engine.decide([command], at: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)).effects
      guard case .reply(_, _, .written)? = effects.last else { return false }
      return true
    }
    let (open, shut) = (Path("open"), Path("shut"))
    #expect(isShown(open, [open]) && isShown(open, [Path("open/x")]) && isShown(.root, [open]))
    #expect(isShown(shut, []), "nothing is shown")
    #expect(!isShown(shut, [shut]) && !isShown(.root, [open, shut]))
    #expect(isShown(shut, [shut], as: .administrator))
  }

  @Test func `a client without write permission learns no value by the writing of priorities`() throws {
    try expectScenario(
      """
      rules {"rules": {"w": {".write": true}}}
      data {"a": 1}
      1 connect
        1 ok
      1 put /a/.priority 1
        log 1 put /a: no rule
        1 permission-denied
      1 put /b/.priority 1
        log 1 put /b: no rule
        1 permission-denied
      1 put /w/.priority 1
        1 invalid-data
      """)
  }

  @Test
  func `large values are sent without a hash comparison, and a compared write is compared only if rules may allow it`()
    throws
  {
    var limits = EngineLimits()
    (limits.hashSizeBytesMax, limits.inlineHashBytesMax) = (64, 64)
    try expectScenario(
      """
      rules {"rules": {".read": true, "n": {".write": true}, "s": {".write": "newData.val() == 1"}, "u": {".write": "data.val() == 1 && auth == null"}}}
      data {"n": 1, "s": "text", "u": "text"}
      1 connect
        1 ok
      1 listen /n YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=
        1 ok
      1 listen /s x7g2SlseqW4tQc4+nDsWMcKEh5c=
        1 < put /s "text"
        1 ok
      1 swap wrong /n 2
        1 stale 1
      1 swap wrong /s 2
        1 stale "text"
      1 swap x7g2SlseqW4tQc4+nDsWMcKEh5c= /s 2
        log 1 put /s: .write at /s
        1 permission-denied
      1 swap wrong /s 1
        1 stale "text"
      1 swap wrong /u 2
        log 1 put /u: .write at /u
        1 permission-denied
      """, limits: limits)
  }

  @Test func `a write is not compared with more data than one write may replace`() throws {
    var limits = EngineLimits()
    (limits.touchedBytesMax, limits.inlineHashBytesMax) = (150, 64)
    let text = String(repeating: "x", count: 60)
    try expectScenario(
      """
      rules {"rules":{".read":true,".write":true}}
      1 connect
        1 ok
      1 put /a/x "\(text)"
        1 written "\(text)"
      1 put /a/y "\(text)"
        1 written "\(text)"
      1 put /a/z "\(text)"
        1 written "\(text)"
      1 swap wrong /a null
        1 write-too-big
      1 swap wrong /a/x null
        1 stale "\(text)"
      """, limits: limits)
  }

  @Test func `replaced data is charged like written data, to every client`() throws {
    var limits = EngineLimits()
    limits.touchedBytesMax = 150
    let text = String(repeating: "x", count: 60)
    try expectScenario(
      """
      rules {"rules":{".read":true,".write":true}}
      1 connect
        1 ok
      1 put /a/x "\(text)"
        1 written "\(text)"
      1 put /a/y "\(text)"
        1 written "\(text)"
      1 put /a/y "\(text)"
        1 written "\(text)"
      1 put /a "\(text)"
        1 write-too-big
      1 put /a/z "\(text)"
        1 written "\(text)"
      1 put /a null
        1 write-too-big
      1 merge /a {"x": null, "y": null, "z": null}
        1 write-too-big
      1 admin
        1 ok
      1 put / null
        1 write-too-big
      1 put /a/x null
        1 written null
      1 put /a/.priority 5
        1 written {"y":"\(text)","z":"\(text)",".priority":5}
      1 put /a null
        1 written null
      """, limits: limits)
  }

  @Test func `an oversized write has no effect`() throws {
    var limits = EngineLimits()
    limits.recordBytesMax = 80
    try expectScenario(
      """
      rules {"rules":{".read":true,".write":true}}
      1 connect
        1 ok
      1 listen /
        1 ok
      1 put /a "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
        1 write-too-big
      1 put /a "0123456789"
        1 < put /a "0123456789"
        1 written "0123456789"
      """, limits: limits)
  }

  @Test func `a priority is kept when a request replaces its node with the same one`() throws {
    try expectScenario(
      """
      rules {"rules":{".read":true,".write":true}}
      data {"a": {"x": 1, ".priority": "p"}}
      1 connect
        1 ok
      1 listen /a
        1 < put /a {"x":1,".priority":"p"}
        1 ok
      1 merge /a {".priority": "p", "x": null, "y": 2}
        1 < merge /a {x: null, y: 2, .priority: "p"}
        1 written {"y":2,".priority":"p"}
      1 merge /a {".priority": "p", "y": 3}
        1 < merge /a {y: 3}
        1 written {"y":3,".priority":"p"}
      1 merge /b {".priority": 1, "x": 1}
        1 written {"x":1,".priority":1}
      """)
  }
}
