import HearthEngine
import HearthTestKit
import Testing

/// Tests of on-disconnect writes. The tests list every effect.
@Suite struct OnDisconnectScenarioTests {
  private static let open = """
    rules {"rules": {".read": true, ".write": true}}
    1 connect
      1 ok
    2 connect
      2 ok
    2 listen /
      2 ok

    """

  @Test func `each registered location is one write, in the order of registration`() throws {
    try expectScenario(
      Self.open + """
        1 put / {"status": {"a": "on", "b": "on"}, "n": 5}
          2 < put / {"n":5,"status":{"a":"on","b":"on"}}
          1 written {"n":5,"status":{"a":"on","b":"on"}}
        1 ondisconnect put /status/a "off"
          1 ok
        1 ondisconnect put /last {".sv": "timestamp"}
          1 ok
        1 ondisconnect merge / {"n": {".sv": {"increment": 2}}, "status/b": null}
          1 ok
        2 put /n 10
          2 < put /n 10
          2 written 10
        time 4000
        1 disconnect
          2 < put /status/a "off"
          2 < put /last 4000
          2 < put /n 12
          2 < put /status/b null
        1 connect
          1 ok
        1 disconnect
        """)
  }

  @Test func `a later registration replaces those at and below its location, and is merged into one above it`() throws {
    try expectScenario(
      Self.open + """
        2 put /a/b/gone 1
          2 < put /a/b/gone 1
          2 written 1
        1 ondisconnect put /a/b/c 1
          1 ok
        1 ondisconnect put /a/b/d 2
          1 ok
        1 ondisconnect put /a/b {"x": 3, "y": {"z": {".sv": "timestamp"}}}
          1 ok
        1 ondisconnect put /a/b/y/w 4
          1 ok
        1 ondisconnect put /a/b/x null
          1 ok
        1 ondisconnect put /a/b/.priority {".sv": "timestamp"}
          1 ok
        time 50
        1 disconnect
          2 < put /a/b {"y":{"w":4,"z":50},".priority":50}
        """)
  }

  @Test func `a cancelled onDisconnect operation is not made, and its siblings are`() throws {
    try expectScenario(
      Self.open + """
        2 put /a {"x": 0, "y": 0, "z": 0}
          2 < put /a {"x":0,"y":0,"z":0}
          2 written {"x":0,"y":0,"z":0}
        1 ondisconnect put /a {"x": 1, "y": {"p": 2, "q": {".sv": "timestamp"}}, ".priority": 7}
          1 ok
        1 ondisconnect put /b 1
          1 ok
        1 ondisconnect cancel /b
          1 ok
        1 ondisconnect cancel /a/y/p
          1 ok
        1 ondisconnect cancel /nothing
          1 ok
        time 9
        1 disconnect
          2 < put /a/x 1
          2 < put /a/y/q 9
          2 < put /a/.priority 7
        """)
  }

  @Test func `after cancelling all operations none is made, also after a restart`() throws {
    try expectScenario(
      Self.open + """
        1 ondisconnect put /a/b 1
          1 ok
        1 ondisconnect put /c null
          1 ok
        1 ondisconnect cancel /
          1 ok
        1 disconnect
        2 get /
          2 value null
        restart
        2 get /
          2 unknown-connection
        """)
  }

  @Test func `cancelling below a leaf has no effect, and a deletion is cancelled as a whole`() throws {
    try expectScenario(
      Self.open + """
        2 put /gone {"x": 1}
          2 < put /gone {"x":1}
          2 written {"x":1}
        1 ondisconnect put /leaf {".value": 1, ".priority": 2}
          1 ok
        1 ondisconnect cancel /leaf/below
          1 ok
        1 ondisconnect cancel /leaf/.priority
          1 ok
        1 ondisconnect put /gone null
          1 ok
        1 ondisconnect cancel /gone/x
          1 ok
        1 disconnect
          2 < put /leaf 1
        """)
  }

  @Test func `a restart makes registered writes once, before any command`() throws {
    try expectScenario(
      Self.open + """
        1 ondisconnect put /a {".sv": "timestamp"}
          1 ok
        2 ondisconnect put /n {".sv": {"increment": 1}}
          2 ok
        time 70
        restart
        3 connect
          3 ok
        3 get /
          3 value {"a":70,"n":1}
        restart
        3 connect
          3 ok
        3 get /
          3 value {"a":70,"n":1}
        """)
  }

  @Test func `invalid paths and values are refused, and an unknown client registers no onDisconnect write`() throws {
    try expectScenario(
      Self.open + """
        1 ondisconnect put /a/.priority 1
          1 invalid-data
        3 ondisconnect put /a 1
          3 unknown-connection
        3 ondisconnect cancel /a
          3 unknown-connection
        """)
  }

  @Test func `registrations of a connection are bounded, and can always be cancelled`() throws {
    var limits = EngineLimits()
    limits.onDisconnectsPerConnectionMax = 3
    try expectScenario(
      Self.open + """
        1 ondisconnect put /a {".sv": "timestamp"}
          1 ok
        1 ondisconnect merge / {"b": 1, "c": 2}
          1 too-many-on-disconnects
        1 ondisconnect put /b 1
          1 ok
        1 ondisconnect put /c 1
          1 too-many-on-disconnects
        1 ondisconnect put /b/x/y 2
          1 ok
        1 ondisconnect put /b {"1": 1, "2": 2, "3": 3, "4": 4}
          1 ok
        1 ondisconnect cancel /b/4
          1 too-many-on-disconnects
        1 ondisconnect cancel /a
          1 ok
        1 ondisconnect put /c 1
          1 ok
        2 ondisconnect put /d 1
          2 ok
        1 disconnect
          2 < put /b {"1":1,"2":2,"3":3,"4":4}
          2 < put /c 1
        """, limits: limits)
    limits = EngineLimits()
    (limits.onDisconnectBytesPerConnectionMax, limits.onDisconnectBytesMax) = (300, 400)
    let text = String(repeating: "x", count: 200)
    try expectScenario(
      Self.open + """
        1 ondisconnect put /a "\(text)"
          1 ok
        1 ondisconnect put /b "\(text)"
          1 too-many-on-disconnects
        2 ondisconnect put /a "\(text)"
          2 too-many-on-disconnects
        1 ondisconnect put /a "x"
          1 ok
        2 ondisconnect put /a "\(text)"
          2 ok
        """, limits: limits)
  }
}
