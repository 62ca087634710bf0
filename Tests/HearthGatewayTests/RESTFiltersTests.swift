import HearthTree
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct RESTFiltersTests {
  private static func query(_ text: String) -> Result<Query?, RESTFailure> {
    Result { () throws(RESTFailure) in try RESTFilters.query(try URLQuery(text.utf8)) }
  }

  private static func page(_ text: String) -> Result<Query?, RESTFailure> {
    Result { () throws(RESTFailure) in try RESTFilters.page(try URLQuery(text.utf8)) }
  }

  @Test("a query with too many parameters is refused before it is parsed")
  func manyParameters() throws {
    let most = Array(repeating: "a", count: URLQuery.parametersMax).joined(separator: "&")
    #expect(try URLQuery(most.utf8).parameters.count == URLQuery.parametersMax)
    #expect(throws: RESTFailure.self) { try URLQuery((most + "&a").utf8) }
    #expect(throws: RESTFailure.self) { try URLQuery((most + "&" + most).utf8) }
  }

  @Test(
    "every order is named in quotes",
    arguments: [
      (#""$key""#, Query.Order.key), (#""$value""#, .value), (#""$priority""#, .priority),
      (#""a/b""#, .child(Path("a/b"))), (#""%24""#, nil), (#""a.b""#, nil), (#""/a""#, nil), (#""""#, nil),
      ("a", nil), ("5", nil), (#""a"#, nil), (#"["a"]"#, nil), (#""a/.priority""#, nil), (#""$child""#, nil),
      ("", nil),
    ] as [(String, Query.Order?)])
  func orders(text: String, order: Query.Order?) throws {
    let result = Self.query("orderBy=\(text)")
    guard let order else {
      #expect(throws: RESTFailure.orderInvalid) { try result.get() }
      return
    }
    #expect(try result.get() == Query(order: order))
  }

  @Test("bounds are JSON primitives, and a key may follow a comma")
  func bounds() throws {
    func start(_ text: String) throws -> Query.Bound? { try Self.query("orderBy=\"a\"&startAt=\(text)").get()?.start }
    #expect(try start("5") == .init(value: .int(5)))
    #expect(try start("-1.5") == .init(value: .double(-1.5)))
    #expect(try start("null") == .init(value: nil))
    #expect(try start("true") == .init(value: .bool(true)))
    #expect(try start("%22x%20y%22") == .init(value: .string("x y")))
    #expect(try start("%22x+y%22") == .init(value: .string("x y")))
    #expect(try start("%22x%2By%22") == .init(value: .string("x+y")))
    #expect(try start("5,\"k\"") == .init(value: .int(5), key: .key("k")))
    #expect(try start("\"a,b\",\"k,l\"") == .init(value: .string("a,b"), key: .key("k,l")))
    #expect(try start("5 , \"k\"") == .init(value: .int(5), key: .key("k")))
    #expect(try start("5,") == .init(value: .int(5)))
    #expect(try start("null,\"[MIN_NAME]\"") == .init(value: nil, key: .lowest))
    #expect(try start("null,\"[MAX_NAME]\"") == .init(value: nil, key: .highest))
    for text in ["[1]", "%7B%7D", "x", "", "5,k", "5,6", "5;\"k\"", "1e400", "\"a", "5,\"k\"x", "\"k\"\"l\""] {
      #expect(throws: RESTFailure.boundInvalid, "\(text)") { try start(text) }
    }
  }

  @Test("bounds that exclude leave out every child of their value, or those up to the key")
  func exclusiveBounds() throws {
    let after = try #require(try Self.query("orderBy=\"a\"&startAfter=5&endBefore=9").get())
    #expect(after.start == .init(value: .int(5), key: .highest, isInclusive: false))
    #expect(after.end == .init(value: .int(9), key: .lowest, isInclusive: false))
    let keyed = try #require(try Self.query("orderBy=\"a\"&startAfter=5,\"k\"&endBefore=9,\"l\"").get())
    #expect(keyed.start == .init(value: .int(5), key: .key("k"), isInclusive: false))
    #expect(keyed.end == .init(value: .int(9), key: .key("l"), isInclusive: false))
    let equal = try #require(try Self.query("orderBy=\"a\"&equalTo=5,\"k\"").get())
    #expect(equal.start == .init(value: .int(5), key: .key("k")) && equal.end == equal.start)
  }

  @Test("in key order bounds are strings, and a second key has no effect")
  func keyBounds() throws {
    let query = try #require(try Self.query("orderBy=\"$key\"&startAt=\"a\",\"b\"&endAt=\"c\"").get())
    #expect(query.start == .init(value: .string("a")) && query.end == .init(value: .string("c")))
    for text in ["5", "null", "true"] {
      #expect(throws: RESTFailure.keyBoundInvalid) { try Self.query("orderBy=\"$key\"&startAt=\(text)").get() }
    }
  }

  @Test(
    "contradictory filters are refused with Firebase's messages",
    arguments: [
      ("limitToFirst=5", "orderBy must be defined when other query parameters are defined"),
      ("equalTo=\"a", "orderBy must be defined when other query parameters are defined"),
      ("orderBy=\"a\"&limitToFirst=1&limitToLast=1", "Only one of limitToFirst and limitToLast may be specified"),
      (
        "orderBy=\"a\"&equalTo=1&endAt=2",
        "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
      ),
      (
        "orderBy=\"a\"&startAfter=1&equalTo=2",
        "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
      ),
      ("orderBy=\"a\"&startAfter=1&startAt=2", "Only one of startAt and startAfter may be specified"),
      ("orderBy=\"a\"&endAt=1&endBefore=2", "Only one of endAt and endBefore may be specified"),
      ("orderBy=\"a\"&limitToFirst=x", "limitToFirst must be an integer"),
      ("orderBy=\"a\"&limitToLast=1.5", "limitToLast must be an integer"),
      ("orderBy=\"a\"&limitToLast=", "limitToLast must be an integer"),
      ("orderBy=\"a\"&limitToLast=\"1\"", "limitToLast must be an integer"),
      ("orderBy=\"a\"&limitToFirst=0", "limitToFirst must be positive"),
      ("orderBy=\"a\"&limitToLast=-3", "limitToLast must be positive"),
      ("orderBy=\"a\"&limitToLast=-99999999999999999999", "limitToLast must be positive"),
      ("orderBy=\"a\"&orderBy=\"b\"", "Parameter orderBy given more than once."),
      ("orderBy=\"a\"&startAt=1&startAt=1", "Parameter startAt given more than once."),
      // `equalTo="a&b"` from a client that does not encode its values.
      ("orderBy=\"a\"&equalTo=\"a&b\"", "Constraint index field must be a JSON primitive"),
    ])
  func contradictions(text: String, message: String) {
    #expect(throws: RESTFailure(400, message)) { try Self.query(text).get() }
    #expect(throws: (any Error).self) { try Self.query(text).get() }
  }

  @Test("a limit is any positive number")
  func limits() throws {
    #expect(try Self.query("orderBy=\"a\"&limitToFirst=1").get()?.limit == .first(1))
    #expect(try Self.query("orderBy=\"a\"&limitToLast=007").get()?.limit == .last(7))
    #expect(try Self.query("orderBy=\"a\"&limitToLast=99999999999999999999").get()?.limit == .last(Int(Int32.max)))
    #expect(try Self.query("print=pretty").get() == nil)
  }

  @Test("a shallow read's page is in key order, and its keys need no quotes")
  func pages() throws {
    #expect(try Self.page("").get() == nil)
    #expect(try Self.page("limitToFirst=3").get() == Query(order: .key, limit: .first(3)))
    for text in ["k", "%22k%22"] {
      let page = try Self.page("limitToFirst=3&startAfter=\(text)").get()
      #expect(page == Query(order: .key, start: .after(.string("k")), limit: .first(3)), "\(text)")
    }
    for text in ["17", "true", "null", "[1]", "%7B", "\"a", "5,\"k\""] {
      let decoded = text == "%7B" ? "{" : text
      #expect(try Self.page("startAt=\(text)").get()?.start == .init(value: .string(decoded)), "\(text)")
    }
    let named = try Self.page("limitToFirst=50&orderBy=age&equalTo=\"x\"").get()
    #expect(named?.order == .child(Path("age")) && named?.start == .init(value: .string("x")))
    #expect(try Self.page("orderBy=\"$value\"&equalTo=bare").get()?.end == .init(value: .string("bare")))
    #expect(throws: RESTFailure.bothLimits) { try Self.page("limitToFirst=1&limitToLast=1").get() }
    #expect(throws: RESTFailure.orderInvalid) { try Self.page("orderBy=a.b").get() }
  }
}
