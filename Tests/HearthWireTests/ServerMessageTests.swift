import HearthTree
import HearthWire
import Testing

@Suite struct ServerMessageTests {
  private func text(_ message: ServerMessage) -> String { String(decoding: message.encoded(), as: UTF8.self) }

  @Test func `control messages have the exact shapes clients read`() {
    let hello = ServerMessage.Hello(milliseconds: 1_767_225_600_000, host: "localhost:9000", session: "s1")
    #expect(
      text(.hello(hello))
        == #"{"t":"c","d":{"t":"h","d":{"ts":1767225600000,"v":"5","h":"localhost:9000","s":"s1"}}}"#)
    #expect(text(.pong) == #"{"t":"c","d":{"t":"o","d":null}}"#)
    #expect(text(.shutdown("a \"b\"")) == #"{"t":"c","d":{"t":"s","d":"a \"b\""}}"#)
    #expect(text(.reset(host: "h:1")) == #"{"t":"c","d":{"t":"r","d":"h:1"}}"#)
  }

  @Test func `replies carry the number, the status and the data`() {
    #expect(text(.reply(0, .ok, .emptyObject)) == #"{"t":"d","d":{"r":0,"b":{"s":"ok","d":{}}}}"#)
    #expect(text(.reply(7, .ok, .emptyText)) == #"{"t":"d","d":{"r":7,"b":{"s":"ok","d":""}}}"#)
    #expect(
      text(.reply(7, .permissionDenied, .text("Permission denied")))
        == #"{"t":"d","d":{"r":7,"b":{"s":"permission_denied","d":"Permission denied"}}}"#)
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

  @Test func `encoding appends to what is there`() {
    var bytes = Array("x".utf8)
    ServerMessage.pong.encode(into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #"x{"t":"c","d":{"t":"o","d":null}}"#)
  }
}
