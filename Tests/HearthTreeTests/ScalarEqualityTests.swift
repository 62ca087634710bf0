import Testing

@testable import HearthTree

/// Tests of the equality of stored numbers, which determines whether a write changes anything.
@Suite struct ScalarEqualityTests {
  /// Pairs of JSON numbers, with whether they are equal.
  private static let pairs: [(String, String, Bool)] = [
    ("1", "1.0", true), ("0", "-0.0", true), ("-3", "-3e0", true), ("1", "1.5", false), ("1000", "1e3", true),
    ("9007199254740992", "9007199254740992.0", true), ("9007199254740993", "9007199254740992.0", false),
    ("9007199254740993", "9007199254740992", false), ("-9007199254740993", "-9007199254740992.0", false),
    ("1000000000000000000", "1e18", true), ("1000000000000000001", "1e18", false),
    ("9223372036854775807", "9223372036854775808", false), ("9223372036854775807", "9.223372036854775807e18", false),
    ("-9223372036854775808", "-9.223372036854775808e18", true), ("9223372036854775807", "1e300", false),
  ]

  private static func text(_ form: String, _ number: String) -> String {
    form.split(separator: "%", omittingEmptySubsequences: false).joined(separator: number)
  }

  @Test func `Numbers are equal by their exact value, at any location`() throws {
    for (one, other, isSame) in Self.pairs {
      for form in ["%", #"{".value":true,".priority":%}"#, #"{"a":{"b":%}}"#, #"{"a":1,".priority":%}"#] {
        let (a, b) = (
          try JSONSample.node(Self.text(form, one)), try JSONSample.node(Self.text(form, other))
        )
        #expect((a == b) == isSame && (b == a) == isSame, "\(form): \(one), \(other)")
        var changed = 0
        Node.empty.replacing(Key("k"), with: a).forEachDifference(from: Node.empty.replacing(Key("k"), with: b)) {
          _, _, _ in
          changed += 1
        }
        #expect((changed == 0) == isSame, "\(form): \(one), \(other)")
      }
    }
  }

  @Test func `Equal numbers have equal hash values`() throws {
    for (one, other, isSame) in Self.pairs where isSame {
      let scalars = [one, other].map { text in try? JSONSample.node(text).scalar }
      #expect(Set(scalars).count == 1, "\(one), \(other)")
    }
  }

  @Test func `Orders and bounds treat numbers as equal that are rounded to the same double`() throws {
    let node = try JSONSample.node(#"{"a":9007199254740993,"b":9007199254740992}"#)
    let bound = Query.Bound(value: .double(9_007_199_254_740_992))
    let query = Query(order: .value, start: bound, end: bound)
    #expect(QueryResult(query, of: node).node == node)
  }

  @Test func `The exact hash differs where the simple one does not`() throws {
    for (one, other, isSame) in Self.pairs {
      let (a, b) = (try JSONSample.node(one), try JSONSample.node(other))
      #expect((a.exactHash() == b.exactHash()) == isSame, "\(one), \(other)")
    }
    let (a, b) = (try JSONSample.node("9007199254740993"), try JSONSample.node("9007199254740992"))
    #expect(a.simpleHash() == b.simpleHash() && a.accepts(hash: b.simpleHash()))
    #expect(!a.accepts(hash: "=" + b.exactHash()) && a.accepts(hash: "=" + a.exactHash()))
    #expect(b.exactHash() == b.simpleHash())
  }
}
