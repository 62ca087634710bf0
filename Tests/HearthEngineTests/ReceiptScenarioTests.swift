import HearthEngine
import HearthTestKit
import Testing

/// Tests of the engine's reports after listens are evaluated again, from which receipts are made.
@Suite struct ReceiptScenarioTests {
  private static let start =
    RoomScenario.data + "receipts on\n" + RoomScenario.listens + """
      1 listen /rooms/r query {"i":".key","l":1} tag 7
        1#7 < put /rooms/r {"m":"hi"}
        1 ok

      """

  @Test func `a revoking write is followed by one receipt, with the last position of each listener`() throws {
    try expectScenario(
      Self.start + """
        2 put /rooms/r/a 1
          1,2 < put /rooms/r/a 1
          2 written 1
        2 put /members/r/alice null
          1 < cancel /rooms/r data@4
          log 1 cancellation /rooms/r: .read at /rooms/$room
          1#7 < cancel /rooms/r data@4
          log 1 cancellation /rooms/r: .read at /rooms/$room
          redecided data@4 at 4: examined 2, kept 0, cut 1 alice /rooms/r told 3, cut 1#7 alice /rooms/r told 2
          2 written null
        2 put /members/r/bob false
          2 written false
        """)
  }

  @Test func `a deploy has a receipt also when it cancels no listen`() throws {
    try expectScenario(
      Self.start + """
        rules {"rules":{"rooms":{"r":{".read":"auth.uid == 'bob' || query.limitToLast == 1"}},".write":true}}
          1 < cancel /rooms/r rules@3
          log 1 cancellation /rooms/r: .read at /rooms/r
          redecided rules@3 at 3: examined 3, kept 2, keeps 2 bob /rooms/r by line 1, keeps 1 alice /rooms/r by line 1, cut 1 alice /rooms/r told 2
        rules {"rules":{".read":true,".write":true}}
          redecided rules@4 at 4: examined 2, kept 2, keeps 2 bob /rooms/r by line 1, keeps 1 alice /rooms/r by line 1
        """)
  }

  @Test func `a receipt names the identity that listened, also after the connection changed users`() throws {
    try expectScenario(
      Self.start + """
        1 auth {"uid":"alice"}
          1 ok
        1 unlisten /rooms/r tag 7
          1 ok
        1 auth {"uid":"carol"}
          1 < cancel /rooms/r identity
          log 1 cancellation /rooms/r: .read at /rooms/$room
          redecided identity of 1 at 2: examined 1, kept 0, cut 1 alice /rooms/r told 2
          1 ok
        1 unauth
          1 ok
        2 auth {"uid":"bob"} until 50
          2 ok
        time 50
          2 < ended
          2 < cancel /rooms/r expiry
          log 2 cancellation /rooms/r: .read at /rooms/$room
          redecided expiry of 2 at 2: examined 1, kept 0, cut 2 bob /rooms/r told 2
        """)
  }

  @Test func `a revocation carries its number also without listens`() throws {
    try expectScenario(
      Self.start + """
        2 revoke 41
          2 < ended
          2 < cancel /rooms/r revocation
          log 2 cancellation /rooms/r: .read at /rooms/$room
          redecided revocation revocation 41 of 2 at 2: examined 1, kept 0, cut 2 bob /rooms/r told 2
          2 ok
        2 revoke 42
          redecided revocation revocation 42 at 2: examined 0, kept 0
          2 ok
        2 auth {"uid":"bob"}
          2 ok
        2 revoke 43
          2 < ended
          redecided revocation revocation 43 of 2 at 2: examined 0, kept 0
          2 ok
        """)
  }

  @Test func `a revocation by time has a receipt`() throws {
    try expectScenario(
      """
      rules {"rules":{".read":"now < 3000",".write":true}}
      receipts on
      1 connect
        1 ok
      1 listen /a query {"l":1} tag 1
        1 ok
      time 1000
      time 2000
      1 put /a/b 1
        1#1 < merge /a {b: 1}
        1 written 1
      time 3000
        1#1 < cancel /a clock
        log 1 cancellation /a: .read at /
        redecided clock at 2: examined 1, kept 0, cut 1#1 /a told 2
      """)
  }
}
