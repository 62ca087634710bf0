import HearthTree
import HearthTriggers
import Testing

@Suite struct EventTests {
  static let before = #"{"rooms":{"r1":{"messages":{"m1":{"t":"a"},"m2":{"t":"b"}}}}}"#
  static let messages = "rooms/r1/messages"

  /// Writes with the events that they cause, and the reason for the case.
  @Test(
    "an event exists if and only if the value at the location changed",
    arguments: [
      ("at the place", [("m3", #"{"t":"c"}"#)], "m3:WC"), ("below, which makes it", [("m3/t", #""c""#)], "m3:WC"),
      ("below", [("m1/t", #""z""#)], "m1:WU"), ("below, the same value", [("m1/t", #""a""#)], ""),
      ("below, which empties it", [("m1/t", "null")], "m1:WD"), ("removed", [("m1", "null")], "m1:WD"),
      ("an object becomes a number", [("m1", "5")], "m1:WU"),
      ("two keys of one place", [("m1/t", #""q""#), ("m1/u", "1")], "m1:WU"),
      ("removed and made below one place", [("m1/t", "null"), ("m1/u", "1")], "m1:WU"),
      ("above, which replaces", [("", #"{"m1":{"t":"a"},"m4":{"t":"d"}}"#)], "m2:WD m4:WC"),
    ] as [(String, [(String, String)], String)])
  func table(name: String, writes: [(String, String)], expected: String) throws {
    let set = TriggerSet(try members("/rooms/{room}/messages/{msg}"))
    let writes = writes.map { (path: Self.messages + "/" + $0.0, value: $0.1) }
    let expected = expected.split(separator: " ").map { Self.messages + "/" + $0 }.joined(separator: " ")
    #expect(summary(set, change(tree(Self.before), writes)) == expected, "\(name)")
  }

  @Test("writes far above the pattern's location cause events")
  func above() throws {
    let set = TriggerSet(try members("/rooms/{room}/messages/{msg}"))
    let both = "rooms/r1/messages/m1:WD rooms/r1/messages/m2:WD"
    #expect(summary(set, change(tree(Self.before), [("rooms/r1", "null")])) == both)
    #expect(summary(set, change(tree(Self.before), [("", "null")])) == both)
    let made = change(tree(Self.before), [("rooms/r2", #"{"messages":{"x":1}}"#)])
    #expect(summary(set, made) == "rooms/r2/messages/x:WC")
  }

  @Test("a write of several locations is one write")
  func several() throws {
    let set = TriggerSet(try members("/rooms/{room}/messages/{msg}"))
    let change = change(
      tree(Self.before),
      [("rooms/r1/messages/m1/t", #""q""#), ("rooms/r1/messages/m2", "null"), ("other", "1")])
    #expect(summary(set, change) == "rooms/r1/messages/m1:WU rooms/r1/messages/m2:WD")
    let events = set.events(of: change).events.map(\.event)
    #expect(Set(events.map { $0.id(in: "d") }).count == events.count)
    #expect(Set(events.map(\.position)) == [7])
  }

  @Test("a change of a child is a change of its parent")
  func sibling() throws {
    let change = change(tree(Self.before), [("rooms/r1/title", #""x""#)])
    #expect(summary(TriggerSet(try members("/rooms/{room}/messages/{msg}")), change) == "")
    #expect(summary(TriggerSet(try members("/rooms/{room}")), change) == "rooms/r1:WU")
  }

  @Test("the root is a location")
  func root() throws {
    let set = TriggerSet(try members("/"))
    #expect(summary(set, change(.empty, [("a/b", "1")])) == ":WC")
    #expect(summary(set, change(tree(#"{"a":1}"#), [("a", "null")])) == ":WD")
    #expect(summary(set, change(tree(#"{"a":1}"#), [("a", "1")])) == "")
  }

  @Test("a change of a priority causes no event")
  func priority() throws {
    let before = tree(#"{"a":{"b":1}}"#)
    for path in ["a", "a/b"] {
      var change = change(before, [])
      change.newRoot = before.replacing(Path(path), with: before[Path(path)].with(priority: .int(3)))
      change.paths = [Path(path)]
      #expect(summary(TriggerSet(try members("/a")), change) == "")
      #expect(summary(TriggerSet(try members("/a/{b}")), change) == "")
    }
  }

  @Test(
    "data with the delta applied is the value after the write",
    arguments: [
      (#"{"a":1,"b":2}"#, #"{"a":1,"c":3}"#, #"{"b":null,"c":3}"#),
      (#"{"b":{"c":1},"k":1}"#, #"{"k":1}"#, #"{"b":null}"#),
      ("null", #"{"a":1}"#, #"{"a":1}"#), (#"{"a":1}"#, "null", "null"), ("1", #"{"y":2}"#, #"{"y":2}"#),
      (#"{"x":{"y":2}}"#, #"{"x":1}"#, #"{"x":1}"#), (#"{"x":1}"#, #"{"x":{"y":2}}"#, #"{"x":{"y":2}}"#),
      (#"{"l":[1,2,3]}"#, #"{"l":[1,2]}"#, #"{"l":{"2":null}}"#), (#""a""#, "false", "false"),
    ])
  func delta(before: String, after: String, delta: String) throws {
    var data = JSONWriter()
    data.write(tree(before), .objects)
    let text = String(decoding: data.bytes, as: UTF8.self)
    #expect(try payload(before, after) == "{\"data\":\(text),\"delta\":\(delta)}")
  }

  @Test("lists are objects with integer keys, in the order of the database")
  func lists() throws {
    #expect(
      try payload("null", #"{"b":1,"10":1,"9":1,"l":["x","y"]}"#)
        == #"{"data":null,"delta":{"9":1,"10":1,"b":1,"l":{"0":"x","1":"y"}}}"#)
  }

  @Test("a webhook receives both values complete")
  func values() throws {
    let member = TriggerSet.Member(
      name: "w", pattern: try TriggerPattern("/p"), kinds: TriggerEventType.write.kinds, wantsValues: true)
    let events = TriggerSet([member]).events(of: change(tree(#"{"p":{"a":1,"b":2}}"#), [("p/a", "null")]))
    #expect(events.events.first?.event.payload == .text(Array(#"{"before":{"a":1,"b":2},"after":{"b":2}}"#.utf8)))
  }

  @Test("events are decoded as they were encoded, and other bytes are refused")
  func content() throws {
    let authors: [EventAuthor] = [.administrator, .signedOut, .user(Array(#"{"uid":"u"}"#.utf8))]
    for author in authors {
      for payload in [TriggerEvent.Payload.reference, .text(Array("{}".utf8))] {
        let event = TriggerEvent(
          position: 3, ordinal: 1, milliseconds: 1_795_329_000_123, kind: .deleted, ref: "a/b", author: author,
          payload: payload)
        #expect(TriggerEvent(position: 3, ordinal: 1, ref: "a/b", content: event.content) == event)
        for count in 0..<16 {
          #expect(TriggerEvent(position: 3, ordinal: 1, ref: "a/b", content: Array(event.content.prefix(count))) == nil)
        }
      }
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    for (place, value) in [(0, 2), (1, 9), (2, 9), (3, 9), (12, 255)] as [(Int, UInt8)] {
      bytes[0] = 1
      bytes[place] = value
      #expect(TriggerEvent(position: 1, ordinal: 1, ref: "", content: bytes) == nil)
      bytes = [UInt8](repeating: 0, count: 16)
    }
  }

  @Test("event ids are valid keys, and their order as text is the order of events")
  func identifiers() {
    let event = TriggerEvent(
      position: 99, ordinal: 12, milliseconds: 1_795_329_000_123, kind: .created, ref: "a", author: .signedOut,
      payload: .reference)
    #expect(
      event.id(in: "demo_app-1")
        == "demo_app-1-mws2ozi3-2r-12".replacing("mws2ozi3", with: String(1_795_329_000_123, radix: 36)))
    #expect(Key(event.id(in: "d")).problem == nil)
    var later = event
    later.position = 100
    later.ordinal = 1
    #expect(event.sequence < later.sequence)
    #expect(event.sequence.utf8.count == later.sequence.utf8.count)
  }

  @Test("too many and oversized events are refused before the write, and truncated after it")
  func excess() throws {
    let set = TriggerSet([try members("/p/{k}")[0]])
    let many = "{" + (0...1_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    let crowded = change(.empty, [("p", many)])
    #expect(set.excess(of: crowded) == .tooManyEvents)
    #expect(set.events(of: crowded).excess == .tooManyEvents)
    #expect(set.events(of: crowded).events.count == 1_000)
    #expect(set.excess(of: change(crowded.newRoot, [("p/k0", "null")])) == nil)

    // {"data":null,"delta":"…"} has 24 bytes besides the text.
    let limit = TriggerLimits.payloadBytesMax - 24
    for (count, isTooLarge) in [(limit, false), (limit + 1, true)] {
      let large = change(.empty, [("p/a", "\"" + String(repeating: "x", count: count) + "\"")])
      #expect((set.excess(of: large) == .payloadTooLarge) == isTooLarge)
      let events = set.events(of: large)
      #expect((events.events.first?.event.payload == .reference) == isTooLarge)
      #expect((events.excess != nil) == isTooLarge)
    }
  }
}
