import HearthRules
import HearthWorkbench
import Testing

@Suite struct RulesTestRunTests {
  private static let head = """
    now: 1700000000000
    users:
      alice: {uid: alice, claims: {role: editor}}
      bob: {uid: bob}
      root: {administrator: true}
    data: {rooms: {r1: {members: {alice: true}}}}
    cases:

    """

  /// Returns the reason why each case failed, or nil for one that passed.
  private func reasons(_ cases: String) throws -> [String?] {
    try TestFileTexts.run(Self.head + cases).map { result in
      switch result.failure?.reason {
      case nil: nil
      case .verdict(let decision): "\(result.failure?.stepIndex ?? 0) \(decision.isAllowed ? "allowed" : "denied")"
      case .decider(let decision, _): "\(result.failure?.stepIndex ?? 0) by \(decision.rule?.name ?? "none")"
      case .impossible(let failure): "\(result.failure?.stepIndex ?? 0) \(failure.message)"
      }
    }
  }

  @Test("reads have the rule that decides")
  func reads() throws {
    let found = try reasons(
      """
        - {as: alice, read: /rooms/r1, expect: allow, rule: /rooms/$room/.read}
        - {as: bob, read: /rooms/r1, expect: deny, rule: /rooms/$room/.read}
        - {read: /elsewhere, expect: deny, rule: none}
        - {as: bob, read: /rooms/r1, expect: allow}
        - {as: alice, read: /rooms/r1, expect: deny}
        - {as: alice, read: /rooms/r1/messages, expect: allow, rule: /rooms/$room/messages/.read}
      """)
    #expect(found == [nil, nil, nil, "0 denied", "0 allowed", "0 by /rooms/$room/.read"])
  }

  @Test("server values, updates and deletes have the same results as on the server")
  func writes() throws {
    let found = try reasons(
      """
        - {as: bob, write: /rooms/r1/messages/m1, value: {text: hi, at: {.sv: timestamp}}, expect: allow}
        - {as: bob, write: /rooms/r1/messages/m1, value: {text: hi, at: 5}, expect: deny, rule: /rooms/$room/messages/$message/.validate}
        - {as: bob, update: /rooms/r1/messages, value: {m1/text: hi, m1/at: {.sv: timestamp}}, expect: allow}
        - {as: bob, update: /rooms/r1/messages, value: {m1: {text: hi, at: {.sv: timestamp}}, m2: {text: hi}}, expect: deny}
        - {as: bob, delete: /rooms/r1/messages/m1, expect: allow}
        - {write: /rooms/r1/messages/m1, value: 1, expect: deny}
        - {as: bob, write: /rooms/r9/messages/m1/.priority, value: 1, expect: allow}
      """)
    #expect(found == [nil, nil, nil, nil, nil, nil, "0 A location without a value cannot have a priority"])
  }

  @Test("steps see the writes of earlier steps, and denied ones have no effect")
  func steps() throws {
    let found = try reasons(
      """
        - name: once
          steps:
            - {as: bob, write: /rooms/r1/messages/m1, value: {text: hi, at: 5}, expect: deny}
            - {as: bob, write: /rooms/r1/messages/m1, value: {text: hi, at: {.sv: timestamp}}, expect: allow}
            - {as: bob, write: /rooms/r1/messages/m1, value: {text: ho, at: {.sv: timestamp}}, expect: deny}
            - {as: bob, read: /rooms/r1, expect: deny}
            - {as: root, write: /rooms/r1/members/bob, value: true, expect: allow}
            - {as: [bob, alice], read: /rooms/r1, expect: allow}
        - name: time goes on
          now: 1000
          steps:
            - {as: bob, write: /rooms/r1/messages/m1, value: {text: hi, at: 1000}, expect: allow}
            - {as: bob, after: 500, write: /rooms/r1/messages/m2, value: {text: hi, at: 1500}, expect: allow}
            - {as: bob, after: 500, write: /rooms/r1/messages/m3, value: {text: hi, at: 1500}, expect: allow}
        - {name: each begins anew, as: bob, read: /rooms/r1, expect: deny}
        - {name: own data, data: {rooms: {r1: {members: {bob: 1}}}}, as: bob, read: /rooms/r1, expect: allow}
      """)
    #expect(found == [nil, "2 denied", nil, nil])
  }

  @Test("claims are in the token, with the standard members")
  func claims() throws {
    let rules = """
      {"rules": {"a": {".read": "auth.token.role == 'editor' && auth.token.sub == auth.uid && auth.provider == 'custom'"},
        "b": {".read": "auth.role == 'old'"},
        "q": {".read": "query.orderByChild == 'at' && query.limitToLast <= 10 && query.startAt == 5"}}}
      """
    let text = """
      users: {e: {uid: e, claims: {role: editor}}, o: {auth: {uid: o, role: old}}}
      cases:
        - {as: e, read: /a, expect: allow}
        - {as: o, read: /a, expect: deny}
        - {as: o, read: /b, expect: allow}
        - {read: /q, query: {orderByChild: at, limitToLast: 10, startAt: 5}, expect: allow}
        - {read: /q, query: {orderByChild: at, limitToLast: 11, startAt: 5}, expect: deny}
      """
    #expect(try TestFileTexts.run(text, rules: rules).allSatisfy { $0.failure == nil })
  }
}
