import HearthEngine
import HearthTestKit
import Testing

/// Tests of revoked credentials, which end as if their deadline had come.
@Suite struct RevocationScenarioTests {
  private static let start = """
    rules {"rules": {"open": {".read": true}, "mine": {".read": "auth != null"}, ".write": true}}
    data {"open": 1, "mine": 2}
    1 connect
      1 ok
    1 auth {"uid":"alice"} until 9000
      1 ok
    1 listen /open
      1 < put /open 1
      1 ok
    1 listen /mine
      1 < put /mine 2
      1 ok

    """

  @Test("a revoked connection is notified, signed out, and loses listens that only its user may read")
  func revocation() throws {
    try expectScenario(
      Self.start + """
        1 revoke
          1 < ended
          1 < cancel /mine revocation
          log 1 cancellation /mine: .read at /mine
          1 ok
        1 put /mine 3
          1 written 3
        1 put /open 3
          1 < put /open 3
          1 written 3
        1 get /mine
          log 1 get /mine: .read at /mine
          1 permission-denied
        """)
  }

  @Test("the deadline of a revoked credential does not affect the next one")
  func nextCredential() throws {
    try expectScenario(
      Self.start + """
        1 revoke
          1 < ended
          1 < cancel /mine revocation
          log 1 cancellation /mine: .read at /mine
          1 ok
        1 auth {"uid":"alice"} until 20000
          1 ok
        1 listen /mine
          1 < put /mine 2
          1 ok
        time 9000
        time 20000
          1 < ended
          1 < cancel /mine expiry
          log 1 cancellation /mine: .read at /mine
        """)
  }

  @Test("a revocation has no effect on a client that has signed out or disconnected")
  func signedOut() throws {
    try expectScenario(
      Self.start + """
        1 unauth
          1 < cancel /mine identity
          log 1 cancellation /mine: .read at /mine
          1 ok
        1 revoke
          1 ok
        1 disconnect
        1 revoke
          1 unknown-connection
        """)
  }

  @Test("a write in the same batch after the revocation is decided as signed out")
  func sameBatch() throws {
    try expectScenario(
      """
      rules {"rules": {"mine": {".write": "auth != null"}}}
      1 connect
        1 ok
      1 admin
        1 ok
      batch
      1 put /mine 1
      1 revoke
      1 put /mine 2
      end
        1 written 1
        1 < ended
        1 ok
        log 1 put /mine: .write at /mine
        1 permission-denied
      """)
  }
}
