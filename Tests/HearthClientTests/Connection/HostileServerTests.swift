import HearthTree
import HearthWire
import RandomTestKit
import ServerTestKit
import Testing

@testable import HearthClient

/// Tests of hostile messages from a server.
@Suite struct HostileServerTests {
  private func connected(_ configure: (inout ConnectionSettings) -> Void = { _ in }) throws -> ConnectionFixture {
    var fixture = try ConnectionFixture(configure: configure)
    fixture.connect()
    return fixture
  }

  @Test(
    "violations of framing and limits end the connection",
    arguments: [
      "x", "{", "[]", "{\"t\":\"d\"}", "nul", "\u{FEFF}{}", "1234567", "9999999999",
      #"{"t":"d","d":{"a":"d","b":{"p":"a","d":1e999}}}"#,
      #"{"t":"d","d":{"a":"d","b":{"p":"\#(String(repeating: "a/", count: 70))","d":1}}}"#,
      #"{"t":"d","d":{"a":"d","b":{"p":"a","d":\#(String(repeating: "[", count: 80))\#(String(repeating: "]", count: 80))}}}"#,
    ])
  func broken(text: String) throws {
    var fixture = try connected()
    #expect(fixture.receive(text) == ["close 1", "tell lost"])
    #expect(fixture.connection.deadline != nil)
  }

  @Test(
    "meaningless messages are ignored",
    arguments: [
      "", "0", #"{"t":"x","d":1}"#, #"{"t":"c","d":{}}"#, #"{"t":"c","d":5}"#, #"{"t":"d","d":{"a":5,"b":{}}}"#,
      #"{"t":"d","d":{"r":99999999999,"b":{"s":"ok"}}}"#, #"{"t":"d","d":{"r":5,"b":7}}"#,
      #"{"t":"d","d":{"r":1.5,"b":{}}}"#,
      #"{"t":"d","d":{"a":"d","b":{"p":7,"d":1}}}"#, #"{"t":"d","d":{"a":"m","b":{"p":"a","d":[1]}}}"#,
      #"{"t":"d","d":{"a":"rm","b":{"p":"a","d":{}}}}"#, #"{"t":"c","d":{"t":"e","d":"oops"}}"#,
      #"{"t":"c","d":{"t":"o","d":null}}"#, #"{"error":"x","t":"d","d":{"r":1,"b":{}}}"#,
    ])
  func meaningless(text: String) throws {
    var fixture = try connected()
    #expect(fixture.receive(text) == [])
    #expect(fixture.connection.phase == .connected)
  }

  @Test("data is read leniently: unknown dotted names, odd priorities, unpaired surrogates, keys that no path reaches")
  func lenientData() throws {
    var fixture = try connected()
    let data =
      #"{".x":1,"$a#[b]":2,"":3,"a/b":4,"c":{".value":5,".priority":true},"d":"\ud83d","e":{".value":6,"f":7}}"#
    let lines = fixture.receive(ConnectionFixture.push("d", #"{"p":"","d":\#(data)}"#))
    #expect(lines.count == 1)
    #expect(lines[0].contains(#""$a#[b]":2"#) && lines[0].contains(#""c":5"#) && lines[0].contains(#""e":6"#))
    #expect(!lines[0].contains(".x") && !lines[0].contains("a/b"))
  }

  @Test("segments are assembled within the limit, not beyond it, and not without end")
  func segments() throws {
    var fixture = try connected { $0.wire.messageBytesMax = 200 }
    let text = ConnectionFixture.push("d", #"{"p":"a","d":"xyz"}"#)
    let middle = text.index(text.startIndex, offsetBy: 20)
    #expect(fixture.receive("2", String(text[..<middle]), String(text[middle...])) == [#"tell put /a "xyz""#])
    #expect(fixture.receive("3", String(repeating: "x", count: 150)) == [])
    #expect(fixture.receive(String(repeating: "x", count: 51)) == ["close 1", "tell lost"])
    var other = try connected()
    #expect(other.receive("99999") == ["close 1", "tell lost"])
  }

  @Test("a server cannot fill the log, nor write control characters into it")
  func logs() throws {
    var fixture = try connected()
    var lines: [String] = []
    for _ in 0..<1_000 {
      let text = ConnectionFixture.push("sd", #"{"msg":"\u001b[2J\n\#(String(repeating: "y", count: 2_000))"}"#)
      let actions = fixture.connection.handle(
        .received(attempt: 1, Array(text.utf8)), at: ConnectionTime(monotonic: 0, wall: 0))
      for case .log(_, let line) in actions { lines.append(line) }
    }
    #expect(lines.count == 101)
    #expect(lines.allSatisfy { $0.utf8.count < 1_000 && !$0.unicodeScalars.contains { $0.value < 0x20 } })
  }

  @Test("before the hello the server's only accepted message is one that refuses the connection")
  func beforeHello() throws {
    for first in [
      ConnectionFixture.reply(0), ConnectionFixture.push("d", #"{"p":"a","d":1}"#), #"{"t":"c","d":{"t":"h","d":{}}}"#,
    ] {
      var fixture = try ConnectionFixture()
      fixture.handle(.open)
      fixture.handle(.tokens(attempt: 1, ConnectionTokens()))
      fixture.handle(.opened(attempt: 1))
      #expect(fixture.receive(first) == ["close 1"])
    }
  }

  @Test("no text causes a trap: mutations of real messages, from a printed seed")
  func mutations() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededRandom(seed: seed)
    let samples = [
      ConnectionFixture.hello(), ConnectionFixture.reply(1, "ok", #"{"w":["no_index"]}"#),
      ConnectionFixture.push("m", #"{"p":"a","d":{"x/y":1,"z":{".value":2,".priority":3}},"t":1}"#),
      ConnectionFixture.push("rm", #"{"p":"a","d":[{"s":"b","e":"c","m":{"c":1}}],"t":1}"#),
      ConnectionFixture.push("c", #"{"p":"a","q":[{"l":2,"vf":"r","sp":1,"sn":"k"}]}"#),
      #"{"t":"c","d":{"t":"r","d":"host:1"}}"#, "12",
    ]
    for _ in 0..<3_000 {
      var fixture = try connected()
      for _ in 0..<3 {
        var text = Array(samples.randomElement(using: &random)!.utf8)  // because there are samples
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          let place = Int.random(in: 0..<text.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: text[place] = .random(in: 0...255, using: &random)
          case 1: text.insert(Array("{}[]\",:0.-e9".utf8).randomElement(using: &random) ?? 0, at: place)
          case 2: if text.count > 1 { text.remove(at: place) }
          default: text.insert(contentsOf: text[place...], at: place)
          }
        }
        fixture.handle(.received(attempt: fixture.attempt, text))
      }
      #expect(fixture.connection.phase != .resting || fixture.connection.interrupts == [.shutDown], "seed \(seed)")
    }
  }

  @Test("long messages are sent in segments of 16,384 UTF-16 units, and no character is cut")
  func outboundSegments() throws {
    let emoji = String(repeating: "a", count: 16_383) + String(repeating: "🐵", count: 9_000)
    let frames = PersistentConnection.frames(of: Array(emoji.utf8))
    #expect(frames.count == 4 && frames[0] == Array("3".utf8))
    let texts = frames.dropFirst().map { String(validating: $0, as: UTF8.self) ?? "" }
    #expect(texts.joined() == emoji)
    #expect(texts.allSatisfy { $0.utf16.count <= 16_384 })
    #expect(PersistentConnection.frames(of: [1, 2]) == [[1, 2]])
  }
}
