import HearthTree
import HearthWire
import Testing

/// Tests that the server can decode the client's messages, and the client the server's.
@Suite struct ClientHalfTests {
  private func value(_ text: String, at location: Location = Location(path: .root)) throws -> WriteValue {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return try reader.writeValue(for: location)
    }
  }

  @Test(
    "server values are encoded as they were decoded",
    arguments: [
      "1", "null", #""x""#, #"{"a":1,"b":{"c":true,".priority":"p"}}"#, #"{".sv":"timestamp"}"#,
      #"{"a":{".sv":{"increment":2}},"b":3}"#, #"{"a":{".value":{".sv":"timestamp"},".priority":7}}"#,
      #"{"a":{".value":1,".priority":{".sv":"timestamp"}}}"#, #"{"a":1,".priority":{".sv":{"increment":-1.5}}}"#,
      #"{"a":{"b":{"c":{".sv":"timestamp"},"d":{".sv":"timestamp"}}},"e":{".sv":"timestamp"}}"#,
    ])
  func deferredValues(text: String) throws {
    var writer = JSONWriter()
    writer.write(try value(text), at: Location(path: .root))
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test("the server decodes every request as it was encoded")
  func requests() throws {
    let write = Write(location: Location(path: Path("a/b")), value: try value(#"{"t":{".sv":"timestamp"}}"#))
    let priority = Write(
      location: Location(path: Path("a"), isPriority: true),
      value: try value("5", at: Location(path: .root, isPriority: true)))
    let compound = CompoundHash(hashes: ["x", ""], posts: [.root])
    let actions: [Request.Action] = [
      .listen(
        Request.Listen(path: Path("a"), hash: "h", query: Query(limit: .last(2)).wire, tag: 4, compound: compound)),
      .unlisten(Request.Unlisten(path: .root, query: Query(limit: .last(2)).wire, tag: 4)),
      .get(Request.Get(location: Location(path: Path("a")), query: nil)), .put(Request.Put(write: write, hash: "")),
      .put(Request.Put(write: priority)), .merge(Request.Merge(path: Path("a"), writes: [write, priority])),
      .onDisconnectPut(write), .onDisconnectMerge(Request.Merge(path: .root, writes: [write])),
      .onDisconnectCancel(Location(path: Path("a"))),
      .authenticate(Request.Credential(token: "a.b.c", override: .signedOut)),
      .authenticate(Request.Credential(token: "s", override: .auth(.object([.init("uid", .string("u"))])))),
      .unauthenticate,
      .appCheck(token: "t"), .dropAppCheck, .stats(.object([.init("sdk.x", .int(1))])),
    ]
    for (i, action) in actions.enumerated() {
      let text = ClientMessage.request(Request(number: Int32(i), action: action)).encoded()
      guard case .request(let read) = try ClientMessage.decode(text) else {
        Issue.record("not a request: \(String(decoding: text, as: UTF8.self))")
        continue
      }
      #expect(read.number == Int32(i))
      #expect(ClientMessage.request(read).encoded() == text)
      if case .refused(let refusal) = read.action {
        Issue.record("\(refusal.text): \(String(decoding: text, as: UTF8.self))")
      }
    }
  }

  @Test("the client decodes every message of the server as it was encoded")
  func serverMessages() throws {
    let node = try value(#"{"a":{".value":1,".priority":2},"b":[1,2],".priority":"p"}"#).node
    func read(_ message: ServerMessage, _ kind: ReceivedMessage.ReplyKind = .json) throws -> ReceivedMessage {
      try ReceivedMessage.decode(message.encoded()) { _ in kind }
    }
    guard case .hello(let hello) = try read(.hello(.init(milliseconds: 7, host: "h:1", session: "s"))) else {
      throw UnexpectedMessage()
    }
    #expect(hello.milliseconds == 7 && hello.host == "h:1" && hello.session == "s")
    guard case .reply(5, .ok, .node(let value)) = try read(.reply(5, .ok, .node(node)), .node) else {
      throw UnexpectedMessage()
    }
    #expect(value.json() == node.json())
    guard case .reply(6, .permissionDenied, let denied) = try read(.reply(6, .permissionDenied, .text("No")), .node)
    else { throw UnexpectedMessage() }
    #expect(denied.text == "No")
    guard case .push(.put(let path, let put, 3?)) = try read(.push(.put(path: Path("a/b"), node: node, tag: 3))) else {
      throw UnexpectedMessage()
    }
    #expect(path == Path("a/b") && put.json() == node.json())
    guard case .push(.merge(_, let changes, nil)) = try read(.push(.merge(path: .root, changes: [(Path("x/y"), node)])))
    else { throw UnexpectedMessage() }
    #expect(changes.count == 1 && changes[0].path == Path("x/y"))
    let ranges = [RangeMerge(start: .root, end: Path("a"), node: node), RangeMerge(start: nil, end: nil, node: .empty)]
    guard case .push(.ranges(_, let merges, 1?)) = try read(.push(.ranges(path: .root, ranges, tag: 1))) else {
      throw UnexpectedMessage()
    }
    #expect(merges.map(\.start) == [.root, nil] && merges.map(\.end) == [Path("a"), nil])
    guard
      case .push(.cancel(_, let query?)) = try read(.push(.cancel(path: .root, query: Query(limit: .first(1)).wire)))
    else { throw UnexpectedMessage() }
    #expect(try Query(wire: query) == Query(limit: .first(1)))
    guard
      case .push(.authenticationEnded(.expiredToken, "x")) = try read(
        .push(.authenticationEnded(.expiredToken, text: "x")))
    else { throw UnexpectedMessage() }
    guard case .shutdown("s") = try read(.shutdown("s")), case .reset("r") = try read(.reset(host: "r")),
      case .pong = try read(.pong)
    else { throw UnexpectedMessage() }
  }

  private struct UnexpectedMessage: Error {}

  @Test(
    "a query is encoded to an object that decodes to an equal query",
    arguments: [
      Query(), Query(order: .key), Query(order: .value, start: .init(value: .bool(true)), limit: .first(3)),
      Query(
        order: .child(Path("a/b")), start: .after(.int(1)), end: .before(.string("x"), key: .key("k")), limit: .last(1)),
      Query(start: .init(value: nil, key: .lowest), end: .init(value: .double(1.5), key: .highest, isInclusive: false)),
    ])
  func queries(query: Query) throws { #expect(try Query(wire: query.wire) == query) }
}
