import HearthEngine
import HearthTestKit
import Testing

/// Tests of permissions of on-disconnect writes. The tests list every effect.
@Suite struct OnDisconnectRuleScenarioTests {
  @Test func `rules are evaluated at registration and at the end, for each write separately`() throws {
    let open = #"{".write": "root.child('lock').val() == null"}"#
    try expectScenario(
      """
      rules {"rules": {".read": true, "mine": {"$u": {".write": "auth.uid == $u"}}, "open": \(open)}}
      1 connect
        1 ok
      2 connect
        2 ok
      2 listen /
        2 ok
      1 ondisconnect put /mine/alice 1
        log 1 ondisconnect /mine/alice: .write at /mine/$u
        1 permission-denied
      1 auth {"uid":"alice"}
        1 ok
      1 ondisconnect put /mine/alice 1
        1 ok
      1 ondisconnect merge / {"open/a": 1, "mine/bob": 2}
        log 1 ondisconnect /: .write at /mine/$u
        1 permission-denied
      1 ondisconnect put /open/b 3
        1 ok
      data {"lock": true}
        2 < put / {"lock":true}
      1 disconnect
        2 < put /mine/alice 1
        log 1 ondisconnect /open/b: .write at /open
      """)
  }

  @Test
  func `onDisconnect writes use the identity at the end: another user, a signed-out client, an expired credential`()
    throws
  {
    let start = """
      rules {"rules": {".read": true, "$u": {".write": "auth.uid == $u"}}}
      1 connect
        1 ok
      2 connect
        2 ok
      2 listen /
        2 ok
      1 auth {"uid":"alice"} until 5000
        1 ok
      1 ondisconnect put /alice "off"
        1 ok

      """
    try expectScenario(
      start + """
        1 auth {"uid":"bob"}
          1 ok
        1 disconnect
          log 1 ondisconnect /alice: .write at /$u
        """)
    try expectScenario(
      start + """
        1 unauth
          1 ok
        restart
          log 1 ondisconnect /alice: .write at /$u
        """)
    try expectScenario(
      start + """
        time 5000
          1 < ended
        restart
          log 1 ondisconnect /alice: .write at /$u
        """)
    try expectScenario(
      start + """
        1 auth {"uid":"alice","token":{"n":1.0,"t":"ü"}} until 9000
          1 ok
        restart
        3 connect
          3 ok
        3 get /alice
          3 value "off"
        """)
    try expectScenario(
      start + """
        1 admin
          1 ok
        1 ondisconnect put /bob "off"
          1 ok
        restart
        3 connect
          3 ok
        3 get /
          3 value {"alice":"off","bob":"off"}
        """)
  }

  @Test func `the onDisconnect writes of one connection cancel listens of others first`() throws {
    try expectScenario(
      """
      rules {"rules": {"room": {".read": "root.child('host').exists()"}, ".write": true}}
      data {"host": 1, "room": "tea"}
      1 connect
        1 ok
      2 connect
        2 ok
      2 listen /room
        2 < put /room "tea"
        2 ok
      1 ondisconnect put /host null
        1 ok
      1 ondisconnect put /room "secret"
        1 ok
      1 disconnect
        2 < cancel /room data@6
        log 2 cancellation /room: .read at /room
      """)
  }

  @Test func `a failing rule denies only its own decision`() throws {
    let open = #"{".read": true, ".write": true}"#
    try expectScenario(
      """
      rules {"rules": {"bad": {".read": "auth.x.y.z > now", ".write": "data.val().length > 1"}, "good": \(open)}}
      batch
      1 connect
      2 connect
      2 listen /good
      1 listen /bad
      1 put /bad 1
      1 ondisconnect put /bad 1
      1 ondisconnect put /good 1
      1 disconnect
      end
        1 ok
        2 ok
        2 ok
        log 1 listen /bad: .read at /bad
        1 permission-denied
        log 1 put /bad: .write at /bad
        1 permission-denied
        log 1 ondisconnect /bad: .write at /bad
        1 permission-denied
        1 ok
        2 < put /good 1
      """)
  }
}
