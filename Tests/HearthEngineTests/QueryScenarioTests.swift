import HearthEngine
import HearthTestKit
import Testing

/// Tests of listens and reads with a query. The tests list every effect; an unlisted one fails the test.
@Suite struct QueryScenarioTests {
  private static let start = """
    rules {"rules":{".read":true,".write":true,"s":{".indexOn":["n","a/b"]},"v":{".indexOn":".value"}}}
    data {"s": {"a": {"n": 1}, "b": {"n": 2}, "c": {"n": 3}, "d": {"n": 4}}, "v": {"x": 5, "y": 7}}
    1 connect
      1 ok
    2 connect
      2 ok

    """

  @Test func `a window moves in one message, with the removed and the added child`() throws {
    try expectScenario(
      Self.start + """
        1 listen /s query {"i":"n","l":2,"vf":"r"} tag 7
          1#7 < put /s {"c":{"n":3},"d":{"n":4}}
          1 ok
        2 put /s/e {"n": 9}
          1#7 < merge /s {c: null, e: {"n":9}}
          2 written {"n":9}
        2 put /s/e null
          1#7 < merge /s {c: {"n":3}, e: null}
          2 written null
        2 put /s/d/n 1
          1#7 < merge /s {b: {"n":2}, d: null}
          2 written 1
        2 put /s/a/n 0
          2 written 0
        2 put /s/b/n 2.5
          1#7 < put /s/b/n 2.5
          2 written 2.5
        2 merge /s {"b/t": "x", "c/t": "y", "c/n": 4, "zz": {"n": 0}}
          1#7 < merge /s {b/t: "x", c/t: "y", c/n: 4}
          2 written {"a":{"n":0},"b":{"n":2.5,"t":"x"},"c":{"n":4,"t":"y"},"d":{"n":1},"zz":{"n":0}}
        2 put /s/b/.priority "p"
          1#7 < put /s/b/.priority "p"
          2 written {"n":2.5,"t":"x",".priority":"p"}
        """)
  }

  @Test func `bounds without a limit deliver each change on its own`() throws {
    try expectScenario(
      Self.start + """
        1 listen /s query {"i":"n","sp":2,"ep":3} tag 1
          1#1 < put /s {"b":{"n":2},"c":{"n":3}}
          1 ok
        2 merge /s {"a/n": 2, "b/n": 5, "c/t": 1, "d/t": 1}
          1#1 < merge /s {a: {"n":2}, b: null, c/t: 1}
          2 written {"a":{"n":2},"b":{"n":5},"c":{"n":3,"t":1},"d":{"n":4,"t":1}}
        2 put /s/d/t 2
          2 written 2
        2 put /s/.priority 1
          2 written {"a":{"n":2},"b":{"n":5},"c":{"n":3,"t":1},"d":{"n":4,"t":2},".priority":1}
        """)
  }

  @Test func `a replacement is delivered as the new result, and only if it differs`() throws {
    try expectScenario(
      Self.start + """
        1 listen /s query {"i":"n","l":1,"vf":"l"} tag 1
          1#1 < put /s {"a":{"n":1}}
          1 ok
        2 put /s {"a": {"n": 1}, "z": {"n": 8}}
          2 written {"a":{"n":1},"z":{"n":8}}
        2 put / {"s": {"z": {"n": 8}}}
          1#1 < put /s {"z":{"n":8}}
          2 written {"s":{"z":{"n":8}}}
        2 put /s/y {"n": 7}
          1#1 < merge /s {y: {"n":7}, z: null}
          2 written {"n":7}
        2 put /s 5
          1#1 < put /s null
          2 written 5
        2 put /s null
          2 written null
        2 put /s/y/n 1
          1#1 < merge /s {y: {"n":1}}
          2 written 1
        """)
  }

  @Test func `listens to one query share one event, and listens without a query get theirs besides`() throws {
    try expectScenario(
      Self.start + """
        1 listen /v query {"i":".value","l":1,"vf":"r"} tag 3
          1#3 < put /v {"y":7}
          1 ok
        2 listen /v query {"vf":"r","l":1,"i":".value"} tag 4
          2#4 < put /v {"y":7}
          2 ok
        2 listen /
          2 < put / {"s":{"a":{"n":1},"b":{"n":2},"c":{"n":3},"d":{"n":4}},"v":{"x":5,"y":7}}
          2 ok
        1 listen /v/x
          1 < put /v/x 5
          1 ok
        1 put /v/x 9
          2 < put /v/x 9
          1 < put /v/x 9
          1#3,2#4 < merge /v {x: 9, y: null}
          1 written 9
        """)
  }

  @Test func `a repeated query is a refresh under the newest tag, and a known result is not sent again`() throws {
    try expectScenario(
      Self.start + """
        1 listen /s query {"i":"n","l":1} tag 1
          1#1 < put /s {"d":{"n":4}}
          1 ok
        1 listen /s query {"i":"n","sin":true,"l":1} tag 2
          1#2 < put /s {"d":{"n":4}}
          1 ok
        1 put /s/d/n 5
          1#2 < put /s/d/n 5
          1 written 5
        1 listen /s query {"i":".key","ep":"a"} tag 2
          1#2 < put /s {"a":{"n":1}}
          1 ok
        1 put /s/d/n 6
          1 written 6
        1 unlisten /s query {"i":".key","ep":"a"} tag 2
          1 ok
        1 put /s/a/n 2
          1 written 2
        1 listen /s oalZ2JRsmJULRPAgKcUvhTuRTAg= query {"i":".key","l":1} tag 5
          1#5 < put /s {"d":{"n":6}}
          1 ok
        1 listen /nothing query {"l":1} tag 6
          1 ok
        1 unlisten /s query {"i":".key","l":1}
          1 ok
        1 put /s/d/n 7
          1 written 7
        1 listen /s query {"l":1}
          1 invalid-data
        """)
  }

  @Test func `a read with a query needs its index declared, a listen does not`() throws {
    try expectScenario(
      Self.start + """
        1 get /s query {"i":"n","ep":2}
          1 value {"a":{"n":1},"b":{"n":2}}
        1 get /s query {"i":"t","ep":2}
          1 index-not-defined
        1 get /s query {"i":"t"}
          1 index-not-defined
        1 get /s query {"i":".value","l":1}
          1 index-not-defined
        1 get /v query {"i":".value","l":1,"vf":"r"}
          1 value {"y":7}
        1 get /s query {"i":".key","l":1,"vf":"r"}
          1 value {"d":{"n":4}}
        1 get /s query {"l":1,"vf":"l"}
          1 value {"a":{"n":1}}
        1 get /v/x query {"l":1,"vf":"l"}
          1 value null
        1 listen /s query {"i":"t","l":1,"vf":"l"} tag 1
          1#1 < put /s {"a":{"n":1}}
          1 ok no_index
        1 put /s/a/t 1
          1#1 < merge /s {a: null, b: {"n":2}}
          1 written 1
        1 listen /s query {"l":1} tag 2
          1#2 < put /s {"d":{"n":4}}
          1 ok
        """)
  }

  @Test func `rules see the query at each evaluation`() throws {
    try expectScenario(
      """
      rules {"rules":{".write":true,"m":{".read":"query.limitToLast <= 2 && root.child('open').val() == true"}}}
      data {"open": true, "m": {"a": 1, "b": 2, "c": 3}}
      1 connect
        1 ok
      1 listen /m
        log 1 listen /m: .read at /m
        1 permission-denied
      1 listen /m query {"i":".key","l":3,"vf":"r"} tag 1
        log 1 listen /m: .read at /m
        1 permission-denied
      1 listen /m query {"i":".key","l":2,"vf":"r"} tag 2
        1#2 < put /m {"b":2,"c":3}
        1 ok
      1 get /m query {"i":".key","l":2,"vf":"l"}
        log 1 get /m: .read at /m
        1 permission-denied
      1 get /m query {"i":".key","l":1,"vf":"r"}
        1 value {"c":3}
      1 merge / {"open": false, "m/d": 4}
        1#2 < cancel /m data@3
        log 1 cancellation /m: .read at /m
        1 written {"m":{"a":1,"b":2,"c":3,"d":4},"open":false}
      1 put /m/e 5
        1 written 5
      """)
  }

  @Test func `without memory for an index all children are sent, if rules allow that`() throws {
    var limits = EngineLimits()
    limits.undeclaredIndexEntriesMax = 70
    try expectScenario(
      """
      rules {"rules":{".write":true,"s":{".read":true},"q":{".read":"query.limitToLast <= 1"}}}
      data {"s": {"a": {"n": 1}, "b": {"n": 2}}, "q": {"a": 1, "b": 2}}
      1 connect
        1 ok
      2 connect
        2 ok
      1 listen /s query {"i":"n","l":1} tag 1
        1#1 < put /s {"b":{"n":2}}
        1 ok no_index
      2 listen /s query {"i":"x","l":1} tag 1
        2#1 < put /s {"a":{"n":1},"b":{"n":2}}
        2 ok no_index
      2 listen /q query {"i":".value","l":1} tag 2
        2 index-not-defined
      1 put /s/a/n 5
        1#1 < merge /s {a: {"n":5}, b: null}
        2#1 < put /s/a/n 5
        1 written 5
      1 unlisten /s query {"i":"n","l":1} tag 1
        1 ok
      2 listen /q query {"i":".value","l":1} tag 2
        2#2 < put /q {"b":2}
        2 ok no_index
      1 merge /q {"c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8}
        2#2 < cancel /q data@4
        log 2 cancellation /q: .read at /q
        1 written {"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}
      rules {"rules":{".write":true,".read":true,"s":{".indexOn":"x"}}}
        2#1 < put /s {"b":{"n":2}}
      """, limits: limits)
  }

  @Test func `a listener with a range hash is sent the ranges that differ`() throws {
    try expectScenario(
      """
      rules {"rules":{".read":true,".write":true}}
      data {"n": {"1": "one", "2": "two", "10": "ten"}}
      1 connect
        1 ok
      1 listen /n x ranges {"hs":["YkodEihR5l3UXCbbKSqqVp082GU=","pfduDpANk3ljVHkUt4HdLwrlDao=",""],"ps":["2","10"]}
        1 ok
      1 put /n/10 "TEN"
        1 < put /n/10 "TEN"
        1 written "TEN"
      1 listen /n x ranges {"hs":["YkodEihR5l3UXCbbKSqqVp082GU=","pfduDpANk3ljVHkUt4HdLwrlDao=",""],"ps":["2","10"]}
        1 < ranges /n {2..10: {"10":"TEN"}}
        1 ok
      1 listen /n x ranges {"hs":["YkodEihR5l3UXCbbKSqqVp082GU=",""],"ps":["2"]} query {"i":".key","ep":"2"} tag 1
        1 ok
      """)
  }

  @Test func `the last listen of a location may be cancelled by time during a write far above it`() throws {
    try expectScenario(
      """
      rules {"rules":{".write":true,"a":{"b":{"c":{".read":"now < 500"}}}}}
      data {"a": {"b": {"c": {"x": 1}}}}
      1 connect
        1 ok
      1 listen /a/b/c query {"i":".key","l":1} tag 1
        1#1 < put /a/b/c {"x":1}
        1 ok
      time 600
      1 put /a {"b": {"c": {"x": 2}}}
        1#1 < cancel /a/b/c clock
        log 1 cancellation /a/b/c: .read at /a/b/c
        1 written {"b":{"c":{"x":2}}}
      """)
  }
}
