import HearthTree
import HearthWire
import Testing

@Suite struct ServerMessageTests {
  private func text(_ message: ServerMessage) -> String { String(decoding: message.encoded(), as: UTF8.self) }

  @Test func `control messages have the exact form that clients parse`() {
    let hello = ServerMessage.Hello(milliseconds: 1_767_225_600_000, host: "localhost:9000", session: "s1")
    #expect(
      text(.hello(hello))
        == #"{"t":"c","d":{"t":"h","d":{"ts":1767225600000,"v":"5","h":"localhost:9000","s":"s1"}}}"#)
    #expect(text(.pong) == #"{"t":"c","d":{"t":"o","d":null}}"#)
    #expect(text(.switchTransport) == #"{"t":"c","d":{"t":"a","d":{}}}"#)
    #expect(text(.endOfTransmission) == #"{"t":"c","d":{"t":"n","d":{}}}"#)
    #expect(text(.shutdown("a \"b\"")) == #"{"t":"c","d":{"t":"s","d":"a \"b\""}}"#)
    #expect(text(.reset(host: "h:1")) == #"{"t":"c","d":{"t":"r","d":"h:1"}}"#)
  }

  @Test func `replies have the number, the status and the data`() {
    #expect(text(.reply(0, .ok, .emptyObject)) == #"{"t":"d","d":{"r":0,"b":{"s":"ok","d":{}}}}"#)
    #expect(text(.reply(7, .ok, .emptyText)) == #"{"t":"d","d":{"r":7,"b":{"s":"ok","d":""}}}"#)
    #expect(
      text(.reply(7, .permissionDenied, .text("Permission denied")))
        == #"{"t":"d","d":{"r":7,"b":{"s":"permission_denied","d":"Permission denied"}}}"#)
    #expect(text(.reply(7, .ok, .noIndex)) == #"{"t":"d","d":{"r":7,"b":{"s":"ok","d":{"w":["no_index"]}}}}"#)
    #expect(text(.reply(1, .ok, .node(.empty))) == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":null}}}"#)
    #expect(
      text(.reply(1, .ok, .json(.object([JSON.Member("auth", .null)]))))
        == #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":{"auth":null}}}}"#)
  }

  @Test func `pushes have relative paths, and their data even when it is null`() {
    let leaf = Node(.int(5), priority: .int(1))
    #expect(
      text(.push(.put(path: Path("users/1"), node: leaf)))
        == #"{"t":"d","d":{"a":"d","b":{"p":"users/1","d":{".value":5,".priority":1}}}}"#)
    #expect(text(.push(.put(path: .root, node: .empty))) == #"{"t":"d","d":{"a":"d","b":{"p":"","d":null}}}"#)
    #expect(
      text(.push(.put(path: Path("a"), node: .empty, tag: 3)))
        == #"{"t":"d","d":{"a":"d","b":{"p":"a","d":null,"t":3}}}"#)
    let changes = [(path: Path("x/y"), node: Node(.int(5))), (path: Path("z"), node: Node.empty)]
    #expect(
      text(.push(.merge(path: Path("e"), changes: changes)))
        == #"{"t":"d","d":{"a":"m","b":{"p":"e","d":{"x/y":5,"z":null}}}}"#)
    #expect(text(.push(.cancel(path: Path("a")))) == #"{"t":"d","d":{"a":"c","b":{"p":"a"}}}"#)
    #expect(
      text(.push(.cancel(path: Path("a"), query: .object([JSON.Member("l", .int(2))]))))
        == #"{"t":"d","d":{"a":"c","b":{"p":"a","q":[{"l":2}]}}}"#)
    #expect(
      text(.push(.authenticationEnded(.expiredToken, text: "t")))
        == #"{"t":"d","d":{"a":"ac","b":{"s":"expired_token","d":"t"}}}"#)
    #expect(text(.push(.debug("t"))) == #"{"t":"d","d":{"a":"sd","b":{"msg":"t"}}}"#)
  }

  @Test func `ranges omit missing ends, and the location itself is encoded as a slash`() {
    let ranges = [
      RangeMerge(start: nil, end: Path("a/b"), node: Node(.int(1))),
      RangeMerge(start: Path("a/b"), end: Path([Key("c"), Key(".priority")]), node: .empty),
      RangeMerge(start: Path([Key("c"), Key(".priority")]), end: nil, node: Node(.int(2))),
    ]
    #expect(
      text(.push(.ranges(path: Path("x"), ranges, tag: 2)))
        == #"{"t":"d","d":{"a":"rm","b":{"p":"x","d":[{"e":"a/b","m":1},{"s":"a/b","e":"c/.priority","m":null},"#
        + #"{"s":"c/.priority","m":2}],"t":2}}}"#)
    #expect(
      text(.push(.ranges(path: .root, [RangeMerge(start: nil, end: .root, node: Node(.int(1)))])))
        == #"{"t":"d","d":{"a":"rm","b":{"p":"","d":[{"e":"/","m":1}]}}}"#)
  }

  @Test func `a tag inserted into a push's text equals the tagged push`() {
    let ranges = [RangeMerge(start: nil, end: nil, node: Node(.string("}}}")))]
    let pushes: [(Int32?) -> Push] = [
      { .put(path: Path("a/b"), node: Node(.string("}}}")), tag: $0) }, { .put(path: .root, node: .empty, tag: $0) },
      { .merge(path: Path("a"), changes: [(path: Path("x"), node: Node(.bool(true)))], tag: $0) },
      { .ranges(path: Path("a"), ranges, tag: $0) },
    ]
    for push in pushes {
      for tag in [1, 17, Int32.max] {
        let spliced = ServerMessage.push(push(nil)).encoded().withUnsafeBytes { ServerMessage.text($0, tag: tag) }
        #expect(String(decoding: spliced, as: UTF8.self) == text(.push(push(tag))))
      }
    }
  }

  @Test func `encoding appends to the buffer`() {
    var bytes = Array("x".utf8)
    ServerMessage.pong.encode(into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #"x{"t":"c","d":{"t":"o","d":null}}"#)
  }
}
