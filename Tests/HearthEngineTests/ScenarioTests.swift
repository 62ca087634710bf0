import HearthEngine
import HearthTestKit
import Testing

/// Tests of scripted commands to the engine. The tests list every effect; an unlisted one fails the test.
@Suite struct ScenarioTests {
  @Test func `the first value is sent before the response, and omitted when the hash matches`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      data {"a": {"b": 1}, "n": 1}
      1 connect
        1 ok
      1 listen /a
        1 < put /a {"b":1}
        1 ok
      1 listen /n YPVfR2bXt/lcDjiQZ8pOkAd3qkQ=
        1 ok
      1 listen /n wrong
        1 < put /n 1
        1 ok
      1 listen /nothing
        1 ok
      1 listen /nothing wrong
        1 < put /nothing null
        1 ok
      """)
  }

  @Test func `a put reaches listeners above it with the change, and listeners below with their part`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      3 connect
        3 ok
      4 connect
        4 ok
      1 listen /
        1 ok
      2 listen /a/b
        2 ok
      3 listen /a/b/c/d
        3 ok
      4 listen /a/x
        4 ok
      4 put /a/b {"c": {"d": 5}, "e": 6}
        1 < put /a/b {"c":{"d":5},"e":6}
        2 < put /a/b {"c":{"d":5},"e":6}
        3 < put /a/b/c/d 5
        4 written {"c":{"d":5},"e":6}
      4 put /a/b/e 7
        1 < put /a/b/e 7
        2 < put /a/b/e 7
        4 written 7
      4 put /a null
        1 < put /a null
        2 < put /a/b null
        3 < put /a/b/c/d null
        4 written null
      """)
  }

  @Test func `a writer's own listens get their event before its response, and a write without a change makes no event`()
    throws
  {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      1 listen /a
        1 ok
      1 put /a 1
        1 < put /a 1
        1 written 1
      1 put /a 1
        1 written 1
      1 put /b/c null
        1 written null
      1 merge / {"a": 1, "x": 2}
        1 written {"a":1,"x":2}
      """)
  }

  @Test func `a merge is one message for each listened location, with its own parts`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      data {"r": {"a": {"old": 1}, "b": {"c": 1, "d": 2}}}
      1 connect
        1 ok
      2 connect
        2 ok
      3 connect
        3 ok
      4 connect
        4 ok
      1 listen /r
        1 < put /r {"a":{"old":1},"b":{"c":1,"d":2}}
        1 ok
      2 listen /r/b
        2 < put /r/b {"c":1,"d":2}
        2 ok
      3 listen /r/a/old
        3 < put /r/a/old 1
        3 ok
      4 listen /r/b/z
        4 ok
      4 merge /r {"a": {"new": 2}, "b/c": 5, "b/d": null, "q": null}
        1 < merge /r {a: {"new":2}, b/c: 5, b/d: null}
        3 < put /r/a/old null
        2 < merge /r/b {c: 5, d: null}
        4 written {"a":{"new":2},"b":{"c":5}}
      4 merge /r/b {"c": 6, ".priority": "p"}
        1 < merge /r/b {c: 6, .priority: "p"}
        2 < merge /r/b {c: 6, .priority: "p"}
        4 written {"c":6,".priority":"p"}
      """)
  }

  @Test func `overlapping listens of one connection get one push, until the upper one has ended`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      1 listen /a/b
        1 ok
      1 listen /a
        1 ok
      1 listen /a/b/c
        1 ok
      2 listen /a/b
        2 ok
      1 put /a/b/c 1
        1 < put /a/b/c 1
        2 < put /a/b/c 1
        1 written 1
      1 put / {"a": {"b": 2}}
        1 < put /a {"b":2}
        2 < put /a/b 2
        1 written {"a":{"b":2}}
      1 unlisten /a
        1 ok
      1 put / {"a": {"b": 3}}
        2,1 < put /a/b 3
        1 written {"a":{"b":3}}
      1 unlisten /a/b
        1 ok
      1 put /a/b/c 4
        2 < put /a/b/c 4
        1 < put /a/b/c 4
        1 written 4
      1 unlisten /nowhere
        1 ok
      """)
  }

  @Test func `writes to reserved keys and too deep locations are refused`() throws {
    try expectScenario(
      """
      rules {"rules": {".read": true, ".write": true}}
      1 connect
        1 ok
      1 listen /.info/connected
        1 invalid-path
      1 get /.info/connected
        1 invalid-path
      1 get /1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21/22/23/24/25/26/27/28/29/30/31/32/33
        1 invalid-path
      2 listen /a
        2 unknown-connection
      2 put /a 1
        2 unknown-connection
      """)
  }

  @Test func `a connection has no more listens than its limit`() throws {
    var limits = EngineLimits()
    limits.listensPerConnectionMax = 2
    try expectScenario(
      """
      rules {"rules": {".read": true}}
      1 connect
        1 ok
      1 listen /a
        1 ok
      1 listen /b
        1 ok
      1 listen /c
        1 too-many-listens
      1 listen /a
        1 ok
      1 unlisten /a
        1 ok
      1 listen /c
        1 ok
      """, limits: limits)
  }

  @Test func `a database has no more listens than its limit`() throws {
    var limits = EngineLimits()
    limits.listensBytesMax = 3_600
    try expectScenario(
      """
      rules {"rules": {".read": true}}
      1 connect
        1 ok
      2 connect
        2 ok
      1 listen /a
        1 ok
      2 listen /a
        2 ok
      2 listen /b
        2 too-many-listens
      2 listen /a
        2 ok
      1 disconnect
      2 listen /b
        2 ok
      """, limits: limits)
  }
}
