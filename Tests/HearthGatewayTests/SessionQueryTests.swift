import HearthEngine
import HearthTree
import HearthWire
import Testing

@testable import HearthGateway
@testable import HearthTransport

@Suite struct SessionQueryTests {
  private static func query(_ text: String) -> JSON { JSON(parsing: text.utf8) ?? .null }
  private static let lastTwo = query(#"{"l":2,"vf":"r"}"#)

  private static func opened() -> ClientSession {
    var session = ClientSession()
    var outputs: [ClientSession.Output] = []
    session.opened(into: &outputs)
    return session
  }

  private static func listen(_ number: Int32, _ query: JSON?, tag: Int32?, _ path: String = "a") -> ClientMessage {
    .request(Request(number: number, action: .listen(.init(path: Path(path), hash: "h", query: query, tag: tag))))
  }

  private static func unlisten(_ number: Int32, _ query: JSON?, tag: Int32?) -> ClientMessage {
    .request(Request(number: number, action: .unlisten(.init(path: Path("a"), query: query, tag: tag))))
  }

  private static func get(_ number: Int32, _ query: JSON?, _ path: String = "a") throws -> ClientMessage {
    .request(Request(number: number, action: .get(.init(location: try Location(wire: path), query: query))))
  }

  private static func tagged(_ tag: Int32?) -> ListenName { ListenName(path: Path("a"), tag: tag) }

  /// Returns a session with the answered listen 1 at `a`.
  private static func listening(_ tag: Int32, _ query: JSON = lastTwo) -> ClientSession {
    var session = opened()
    var outputs: [ClientSession.Output] = []
    session.receive(listen(1, query, tag: tag), sizeBytes: 10, into: &outputs)
    _ = session.message(for: .listening(isIndexed: true), to: 1)
    return session
  }

  @Test("a listen with a query is requested with its tag, its hash and its ranges")
  func listensWithAQuery() throws {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    let compound = CompoundHash(hashes: [""], posts: [])
    let listen = Request.Listen(path: Path("a"), hash: "h", query: Self.lastTwo, tag: 7, compound: compound)
    session.receive(.request(Request(number: 1, action: .listen(listen))), sizeBytes: 10, into: &outputs)
    guard case .submit(.listen(let request), request: 1)? = outputs.first else {
      Issue.record("no listen")
      return
    }
    #expect(request.path == Path("a") && request.hash == "h" && request.tag == 7 && request.compound == compound)
    #expect(request.query == (try Query(wire: Self.lastTwo)))
  }

  @Test("a listen with a tag and no query is a listen to the whole location")
  func tagWithoutQuery() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1, nil, tag: 3), sizeBytes: 10, into: &outputs)
    guard case .submit(.listen(let request), request: 1)? = outputs.first else {
      Issue.record("no listen")
      return
    }
    #expect(request.tag == nil && request.query == nil)
  }

  @Test("a listen with a query and no tag fails, and so does one with an invalid query")
  func refusals() throws {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1, Self.lastTwo, tag: nil), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(2, Self.query(#"{"l":0}"#), tag: 2), sizeBytes: 10, into: &outputs)
    session.receive(try Self.get(3, Self.query(#"{"i":".key","sp":5}"#)), sizeBytes: 10, into: &outputs)
    #expect(outputs.map(\.summary).first == "send reply 1 failed A listen with a query needs a tag")
    #expect(outputs.map(\.summary).allSatisfy { $0.hasPrefix("send reply ") && $0.contains(" failed ") })
    #expect(outputs.count == 3 && session.queries.count == 0)
  }

  @Test("an order without an index is a warning in a listen's answer")
  func noIndex() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1, Self.lastTwo, tag: 7), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(2, nil, tag: nil), sizeBytes: 10, into: &outputs)
    #expect(
      session.message(for: .listening(isIndexed: false), to: 1)?.text
        == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#)
    #expect(
      session.message(for: .listening(isIndexed: true), to: 2)?.text == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{}}}}"#)
  }

  @Test("the end of a listen with a query repeats the query object as it was sent")
  func cancellation() {
    var session = Self.listening(7, Self.query(#"{"vf":"r","l":2,"sin":true,"sp":null,"x":[1]}"#))
    #expect(
      session.cancellation(of: Self.tagged(7))?.text
        == #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"vf":"r","l":2,"sin":true,"sp":null,"x":[1]}]}}}"#)
    #expect(session.cancellation(of: Self.tagged(7)) == nil, "it is over")
    #expect(session.cancellation(of: Self.tagged(nil))?.text == #"{"t":"d","d":{"a":"c","b":{"p":"a"}}}"#)
  }

  @Test("a listen that its client has ended is not ended once more")
  func unlistenBeforeCancellation() {
    for (query, tag) in [(Self.lastTwo, 7), (nil, 7), (Self.lastTwo, nil)] as [(JSON?, Int32?)] {
      var session = Self.listening(7)
      var outputs: [ClientSession.Output] = []
      session.receive(Self.unlisten(2, query, tag: tag), sizeBytes: 10, into: &outputs)
      let names = (query == nil ? "" : " query") + (tag == nil ? "" : " tag 7")
      #expect(outputs.map(\.summary) == ["submit unlisten /a\(names) 2"])
      #expect(session.cancellation(of: Self.tagged(7)) == nil)
    }
  }

  @Test("of two listens to the same query the newest tag applies, and the former query object is dropped")
  func newestTag() {
    var session = Self.listening(7)
    var outputs: [ClientSession.Output] = []
    // Another spelling of the same query.
    session.receive(Self.listen(2, Self.query(#"{"vf":"r","l":2.0}"#), tag: 8), sizeBytes: 10, into: &outputs)
    #expect(session.queries.count == 1)
    #expect(session.cancellation(of: Self.tagged(7)) == nil)
    #expect(session.cancellation(of: Self.tagged(8)) != nil)
  }

  @Test("a failed or oversized listen leaves no state")
  func failuresForget() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1, Self.lastTwo, tag: 7), sizeBytes: 10, into: &outputs)
    session.receive(Self.listen(2, Self.lastTwo, tag: 8, "b"), sizeBytes: 10, into: &outputs)
    #expect(session.queries.sizeBytes == 20)
    #expect(session.message(for: .failure(.permissionDenied), to: 1)?.summary.contains("permission_denied") == true)
    let waits = [8, nil].map { tag in
      session.refuseListen(ListenName(path: Path("b"), tag: tag), .tooBig, "too big")
    }
    #expect(waits == [true, false])
    #expect(session.message(for: .listening(isIndexed: true), to: 2)?.summary.hasPrefix("reply 2 too_big ") == true)
    #expect(session.queries.count == 0 && session.queries.sizeBytes == 0)
  }

  @Test("the stored parameters of queries are bounded")
  func bound() {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(Self.listen(1, Self.lastTwo, tag: 1), sizeBytes: SessionQueries.sizeBytesMax, into: &outputs)
    session.receive(Self.listen(2, Self.lastTwo, tag: 2, "b"), sizeBytes: 1, into: &outputs)
    session.receive(Self.unlisten(3, Self.lastTwo, tag: 1), sizeBytes: 1, into: &outputs)
    session.receive(Self.listen(4, Self.lastTwo, tag: 4, "b"), sizeBytes: 1, into: &outputs)
    #expect(
      outputs.map(\.summary) == [
        "submit listen 1", "send reply 2 failed The queries of this connection need too much memory",
        "submit unlisten /a query tag 1 3", "submit listen 4",
      ])
  }

  @Test("a get sends its query and is answered with the result")
  func gets() throws {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(try Self.get(1, nil), sizeBytes: 10, into: &outputs)
    session.receive(try Self.get(2, Self.query(#"{"i":".key","l":1,"vf":"l"}"#)), sizeBytes: 10, into: &outputs)
    session.receive(try Self.get(3, nil, "a/.priority"), sizeBytes: 10, into: &outputs)
    session.receive(try Self.get(4, Self.lastTwo, "a/.priority"), sizeBytes: 10, into: &outputs)
    #expect(
      outputs.map(\.summary) == [
        "submit get /a 1", "submit get /a query 2", "submit get /a 3", "send reply 4 failed Invalid token in path",
      ])
    let node = Node.empty.replacing(Path("x"), with: Node(.int(1))).replacing(Path("y"), with: Node(.int(2)))
    let result = QueryResult(try Query(wire: Self.query(#"{"i":".key","l":1,"vf":"l"}"#)), of: node)
    #expect(session.message(for: .result(result), to: 2)?.text == #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{"x":1}}}}"#)
    let leaf = Node(.int(1), priority: .string("high"))
    #expect(session.message(for: .value(leaf), to: 3)?.text == #"{"t":"d","d":{"r":3,"b":{"s":"ok","d":"high"}}}"#)
  }

  @Test("a get without its index fails with the full error message")
  func getWithoutIndex() throws {
    var session = Self.opened()
    var outputs: [ClientSession.Output] = []
    session.receive(try Self.get(1, Self.query(#"{"i":"n"}"#)), sizeBytes: 10, into: &outputs)
    let text = "Index not defined, add \".indexOn\": \"n\", for path \"/a\", to the rules"
    #expect(
      session.message(for: .failure(Failure(.indexNotDefined, text)), to: 1)?.summary == "reply 1 failed \(text)")
  }
}
