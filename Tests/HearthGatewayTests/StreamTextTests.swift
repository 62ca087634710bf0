import HearthTree
import NIOCore
import NIOPosix
import ServerTestKit
import Testing

@testable import HearthEngine
@testable import HearthGateway
@testable import HearthTransport

@Suite struct StreamTextTests {
  private static func node(_ json: String) throws -> Node {
    try Array(json.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(bytes)
      return try reader.writeValue().node
    }
  }

  private static func text(
    _ path: String, _ change: Event.Change, depth: Int = 1, _ form: JSONForm = .plain
  ) -> String? {
    let event = Event(path: Path(path), change: change, position: 1)
    return event.streamText(StreamForm(depth: depth, json: form)).map { String(buffer: $0) }
  }

  @Test func `a put has the path relative to the request, and then the data`() throws {
    let node = try Self.node(#"{"b":[1,2],"é":"line\n\u0000✔"}"#)
    #expect(
      Self.text("/a", .put(node))
        == "event: put\ndata: {\"path\":\"/\",\"data\":{\"b\":[1,2],\"é\":\"line\\n\\u0000✔\"}}\n\n")
    #expect(
      Self.text("/a/b/\"q\"", .put(.empty))
        == "event: put\ndata: {\"path\":\"/b/\\\"q\\\"\",\"data\":null}\n\n")
    #expect(Self.text("/", .put(Node(.int(1))), depth: 0) == "event: put\ndata: {\"path\":\"/\",\"data\":1}\n\n")
    #expect(Self.text("/", .put(Node(.int(1))), depth: 1) == nil)
  }

  @Test func `a merge is one patch whose keys may be paths`() throws {
    let entries = [
      Event.Entry(path: Path("x/y"), node: try Self.node(#"{"z":1}"#)), Event.Entry(path: Path("w"), node: .empty),
    ]
    #expect(
      Self.text("/a/b", .merge(entries))
        == "event: patch\ndata: {\"path\":\"/b\",\"data\":{\"x/y\":{\"z\":1},\"w\":null}}\n\n")
    #expect(Self.text("/a/b", .merge([])) == nil)
  }

  @Test func `priorities are in the export form only`() throws {
    let node = try Self.node(#"{".value":1,".priority":2}"#)
    #expect(Self.text("/a", .put(node))?.hasSuffix("\"data\":1}\n\n") == true)
    #expect(Self.text("/a", .put(node), .export)?.hasSuffix("\"data\":{\".value\":1,\".priority\":2}}\n\n") == true)
    #expect(Self.text("/a/b/.priority", .put(Node(.int(3)))) == nil)
    #expect(
      Self.text("/a/b/.priority", .put(Node(.int(3))), .export)
        == "event: put\ndata: {\"path\":\"/b/.priority\",\"data\":3}\n\n")
    let entries = [Event.Entry(path: Path("x/.priority"), node: Node(.int(1)))]
    #expect(Self.text("/a", .merge(entries)) == nil)
    #expect(
      Self.text("/a", .merge(entries), .export)
        == "event: patch\ndata: {\"path\":\"/\",\"data\":{\"x/.priority\":1}}\n\n")
    let more = entries + [Event.Entry(path: Path("y"), node: Node(.int(1)))]
    #expect(Self.text("/a", .merge(more)) == "event: patch\ndata: {\"path\":\"/\",\"data\":{\"y\":1}}\n\n")
  }

  @Test func `event names and keep-alives are those that clients know`() {
    #expect(String(buffer: StreamText.keepAlive) == "event: keep-alive\ndata: null\n\n")
    #expect(
      String(buffer: StreamText.credentialEnded) == "event: auth_revoked\ndata: credential is no longer valid\n\n")
    #expect(String(buffer: StreamText.permissionDenied) == "event: cancel\ndata: \"Permission denied.\"\n\n")
    #expect(
      String(buffer: StreamText.tooLarge)
        == "event: cancel\ndata: \"The specified payload is too large, please request a location with less data.\"\n\n")
    #expect(String(buffer: StreamText.nothing) == "event: put\ndata: {\"path\":\"/\",\"data\":null}\n\n")
  }

  @Test func `an event's text is made once for all streams of one format`() throws {
    let event = SharedEvent(Event(path: Path("a"), change: .put(Node(.int(1))), position: 1), isForOne: false)
    func address(_ form: StreamForm) throws -> UnsafeRawPointer? {
      guard case .text(let buffer, _)? = event.streamTexts.text(form) else { return nil }
      return buffer.withUnsafeReadableBytes { $0.baseAddress }
    }
    let plain = StreamForm(depth: 1, json: .plain)
    let first = try #require(try address(plain))
    #expect(try address(plain) == first)
    #expect(try address(StreamForm(depth: 0, json: .plain)) != first)
    #expect(try address(StreamForm(depth: 1, json: .export)) != first)
  }

  @Test func `a large text is made once outside the event loop, and an oversized one not at all`() async throws {
    let node = Node(.string(String(repeating: "x", count: LargeValuePool.loopBytesMax + 1)))
    let group = MultiThreadedEventLoopGroup.singleton
    let pool = LargeValuePool(memory: .ofTest())
    pool.start()
    let loop = group.any()
    let addresses = try await loop.submit { () -> EventLoopFuture<[String]> in
      let event = SharedEvent(Event(path: Path("a"), change: .put(node), position: 1), isForOne: false)
      let texts = event.streamTexts
      let form = StreamForm(depth: 1, json: .plain)
      let done = loop.makePromise(of: [String].self)
      guard texts.text(form) == nil else { return loop.makeSucceededFuture(["made on the loop"]) }
      var found: [String] = []
      func note(_ text: StreamTexts.Text?) {
        switch text {
        case .text(let buffer, _)?:
          found.append("\(buffer.withUnsafeReadableBytes { $0.baseAddress.debugDescription })")
        case .tooLarge?: found.append("too large")
        case .nothing?, nil: found.append("nothing")
        }
        if found.count == 3 { done.succeed(found) }
      }
      texts.make(form, sizeBytesMax: 1 << 20, for: .server, in: pool, on: loop, completion: note)
      texts.make(form, sizeBytesMax: 1 << 20, for: .server, in: pool, on: loop) { text in
        note(text)
        let other = StreamForm(depth: 0, json: .plain)
        texts.make(other, sizeBytesMax: LargeValuePool.loopBytesMax, for: .server, in: pool, on: loop, completion: note)
      }
      return done.futureResult
    }.flatMap { $0 }.get()
    await pool.stop()
    #expect(addresses[0] == addresses[1] && addresses[0] != "nothing")
    #expect(addresses[2] == "too large")
  }

  @Test func `all callers that wait for a large text or message are called once, in order`() async throws {
    let node = Node(.string(String(repeating: "x", count: LargeValuePool.loopBytesMax + 1)))
    let pool = LargeValuePool(memory: .ofTest())
    pool.start()
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let told = try await loop.submit { () -> EventLoopFuture<[Int]> in
      let event = SharedEvent(Event(path: Path("a"), change: .put(node), position: 1), isForOne: false)
      let done = loop.makePromise(of: [Int].self)
      var told: [Int] = []
      func note(_ number: Int, _ isMade: Bool) {
        told.append(isMade ? number : -1)
        if told.count == 20_000 { done.succeed(told.filter { $0 < 10_000 } + told.filter { $0 >= 10_000 }) }
      }
      let form = StreamForm(depth: 1, json: .plain)
      for number in 0..<10_000 {
        event.streamTexts.make(form, sizeBytesMax: 1 << 20, for: .server, in: pool, on: loop) {
          note(number, $0 != nil)
        }
        event.largeMessage(tag: 7, for: .server, in: pool, on: loop) { note(10_000 + number, $0 != nil) }
      }
      return done.futureResult
    }.flatMap { $0 }.get()
    await pool.stop()
    #expect(told == Array(0..<20_000))
  }

  @Test func `an event with many long paths is large despite empty values`() {
    let long = String(repeating: "k", count: 700)
    func removals(_ count: Int) -> Event.Change {
      .merge((0..<count).map { Event.Entry(path: Path("\(long)/\($0)"), node: .empty) })
    }
    let few = LargeValuePool.loopBytesMax / 1_000
    #expect(!removals(few).exceeds(bytes: LargeValuePool.loopBytesMax))
    #expect(removals(2 * few).exceeds(bytes: LargeValuePool.loopBytesMax))
    #expect(SharedEvent(Event(path: Path(), change: removals(2 * few), position: 1), isForOne: false).isLarge)
  }
}
