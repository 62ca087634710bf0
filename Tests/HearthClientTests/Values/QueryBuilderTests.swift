import HearthTree
import Testing

@testable import HearthClient

/// Tests of valid queries, and of the errors of invalid ones.
@Suite struct QueryBuilderTests {
  private typealias Step = (QueryBuilder) throws -> QueryBuilder
  private let new = QueryBuilder()

  private func mistake(_ steps: Step...) -> String? {
    do {
      var builder = new
      for step in steps { builder = try step(builder) }
      return nil
    } catch { return (error as? DatabaseArgumentError)?.message ?? "\(error)" }
  }

  @Test("bounds, with and without a key, inclusive and exclusive")
  func bounds() throws {
    let query = try new.ordered(byChild: "a/b").starting(at: 1, childKey: "k").ending(before: "z", childKey: nil).query
    #expect(query.order == .child(Path("a/b")))
    #expect(query.start == Query.Bound(value: .int(1), key: .key("k")))
    #expect(query.end == .before(.string("z")))
    #expect(try new.starting(after: nil, childKey: "k").query.start == .after(nil, key: .key("k")))
    let equal = try new.ordered(.key).equal(to: "k", childKey: nil).query
    #expect(equal.start == equal.end)
    #expect(try new.equal(to: true, childKey: "k").query.start?.value == .bool(true))
  }

  @Test("limits, and the end at which a limit without a direction applies")
  func limits() throws {
    #expect(try new.limited(toFirst: 3).query.limit == .first(3))
    #expect(try new.limited(toLast: 3).query.limit == .last(3))
    #expect(try new.limited(legacy: 3).query.limit == .last(3))
    #expect(try new.ending(at: 1, childKey: nil).limited(legacy: 3).query.limit == .last(3))
    #expect(try new.starting(at: 1, childKey: nil).limited(legacy: 3).query.limit == .first(3))
    #expect(mistake { try $0.limited(toFirst: 0) } == "Limit can't be zero")
    #expect(
      mistake { try $0.limited(toLast: 1 << 31) }
        == "Limit must be less than 2,147,483,648")
    #expect(
      mistake(
        { try $0.limited(toLast: 1) },
        { try $0.limited(toFirst: 1) })
        == "Can't call queryLimitedToFirst: if a limit was previously set")
  }

  @Test("a query has one order, and invalid child paths are refused")
  func orders() {
    #expect(
      mistake(
        { try $0.ordered(.key) },
        { try $0.ordered(.value) }) == "Cannot use multiple queryOrderedBy calls!")
    for (name, method) in [("$key", "Key"), ("$priority", "Priority"), ("$value", "Value"), (".key", "Key")] {
      #expect(
        mistake { try $0.ordered(byChild: name) }
          == "(queryOrderedByChild:) \(name) is invalid.  Use queryOrderedBy\(method): instead.")
    }
    #expect(
      mistake { try $0.ordered(byChild: "/") }
        == "(queryOrderedByChild:) with an empty path is invalid.  Use queryOrderedByValue: instead.")
    #expect(mistake { try $0.ordered(byChild: "") } != nil)
  }

  @Test("bounds of key order are keys, whether the order or the bound was set first")
  func keyOrder() {
    let key: Step = { try $0.ordered(.key) }
    let texts = [
      mistake(key, { try $0.starting(at: 1, childKey: nil) }),
      mistake({ try $0.starting(at: 1, childKey: nil) }, key),
    ]
    for text in texts {
      #expect(
        text == "Can't use queryStartingAtValue: or queryStartingAfterValue: with non-string types when used with "
          + "queryOrderedByKey")
    }
    #expect(
      mistake(key, { try $0.ending(at: nil, childKey: nil) })
        == "Can't use queryEndingAtValue: or queryEndingBeforeValue: with other types than string in combination with "
        + "queryOrderedByKey")
    #expect(
      mistake(key, { try $0.starting(at: "a", childKey: "b") })
        == "You must use queryStartingAtValue: instead of queryStartingAtValue:childKey: when using queryOrderedByKey:")
    #expect(
      mistake({ try $0.ending(at: "a", childKey: "b") }, key)
        == "Can't use queryEndingAtValue:childKey: or queryEndingBeforeValue:childKey: queryEqualToValue:childKey: in "
        + "combination with queryOrderedByKey")
    #expect(mistake(key, { try $0.equal(to: "a", childKey: nil) }) == nil)
  }

  @Test("bounds are scalars, bounds of priority order are priorities, and each is set once")
  func values() {
    #expect(
      mistake { try $0.starting(at: ["a": 1], childKey: nil) }
        == "You can only pass nil, NSString or NSNumber to queryStartingAtValue:")
    #expect(mistake { try $0.ending(at: Double.infinity, childKey: nil) } != nil)
    #expect(
      mistake(
        { try $0.ordered(.priority) },
        { try $0.starting(at: true, childKey: nil) })?
        .hasPrefix("When using queryOrderedByPriority, values provided to ") == true)
    let start: Step = { try $0.starting(at: 1, childKey: nil) }
    let end: Step = { try $0.ending(at: 1, childKey: nil) }
    let equal: Step = { try $0.equal(to: 1, childKey: nil) }
    #expect(mistake(start, start)?.hasPrefix("Can't call queryStartingAtValue: after") == true)
    #expect(mistake(end, end)?.hasPrefix("Can't call queryEndingAtValue: after") == true)
    #expect(mistake(start, equal)?.hasPrefix("Can't call queryEqualToValue: after") == true)
    #expect(mistake(equal, end) != nil)
    #expect(mistake(start, end) == nil)
    #expect(
      mistake { try $0.starting(at: 1, childKey: "a/b") }
        == "(queryStartingAtValue:childKey:) Must be a non-empty string and not contain '/' '.' '#' '$' '[' or ']'")
  }
}
