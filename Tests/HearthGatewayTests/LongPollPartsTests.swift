import HearthBytes
import HearthCrypto
import HearthTree
import HearthWire
import NIOCore
import RandomTestKit
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of the parts of long-poll requests and scripts.
@Suite struct LongPollPartsTests {
  // MARK: Requests

  private static func poll(_ query: String) -> PollRequest.Poll? {
    if case .poll(_, let poll)? = PollRequest(query.utf8) { poll } else { nil }
  }

  @Test("requests are distinguished in any order of their members")
  func requests() {
    guard case .start("12")? = PollRequest("v=5&ns=chat&p=1:2:web:a&cb=12&ser=4&start=t".utf8) else {
      Issue.record("no start")
      return
    }
    guard case .page(let session)? = PollRequest("dframe=t&id=1&pw=x".utf8), session.id == "1", session.password == "x"
    else {
      Issue.record("no page")
      return
    }
    guard case .disconnect(let session)? = PollRequest("pw=x&id=1&disconn=t".utf8), session.id == "1" else {
      Issue.record("no disconnect")
      return
    }
    let poll = Self.poll("id=1&pw=x&ser=9&ns=chat&seg1=5&ts1=3&d1=bb&seg0=4&ts0=3&d0=aa")
    #expect(poll?.serial == "9")
    #expect(
      poll?.pieces == [
        PollPiece(number: 4, count: 3, text: Array("aa".utf8)), PollPiece(number: 5, count: 3, text: Array("bb".utf8)),
      ])
  }

  @Test(
    "requests in a form that no client sends are refused",
    arguments: [
      "", "start=t", "start=t&cb=", "start=t&cb=1;alert(1)", "start=t&cb=-1", "start=t&cb=1&cb=2", "id=1&ser=1",
      "pw=1&ser=1", "id=1&pw=x", "id=1&pw=x&ser=1&seg0=1&ts0=1", "id=1&pw=x&ser=1&seg0=1&d0=aa",
      "id=1&pw=x&ser=1&seg0=-1&ts0=1&d0=aa", "id=1&pw=x&ser=1&seg0=1&seg0=1&ts0=1&d0=aa",
      "id=1&pw=x&ser=1&seg0=99999999999999999999&ts0=1&d0=aa", "id=%FF&pw=x&ser=1",
    ])
  func malformed(_ query: String) {
    #expect(PollRequest(query.utf8) == nil)
  }

  @Test("a session's id and password consist of letters and digits, and nothing else opens it")
  func sessions() {
    let session = PollSession.make()
    #expect(session.isWellFormed && session.isAuthenticated(by: session))
    #expect(!session.isAuthenticated(by: PollSession(id: session.id, password: session.password + "x")))
    #expect(!session.isAuthenticated(by: PollSession(id: session.id + "1", password: session.password)))
    #expect(!PollSession(id: "1", password: "\"").isWellFormed && !PollSession(id: "a", password: "b").isWellFormed)
  }

  // MARK: Pieces

  private static func pieces(_ message: String, from number: Int, size: Int) -> [PollPiece] {
    var letters = Array(Base64URL.encode(Array(message.utf8)).utf8)
    while letters.count % 4 != 0 { letters.append(UInt8(ascii: ".")) }
    let parts = stride(from: 0, to: letters.count, by: size).map { Array(letters[$0..<min($0 + size, letters.count)]) }
    return parts.enumerated().map { PollPiece(number: number + $0, count: parts.count, text: $1) }
  }

  private static func texts(_ messages: [[UInt8]]) -> [String] { messages.map { String(decoding: $0, as: UTF8.self) } }

  @Test("messages are assembled from pieces in any order, some of them received twice", arguments: 0..<200)
  func reassembly(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let messages = (0..<8).map { index in
      String(repeating: "m\(index)é🐵", count: Int.random(in: 1...6, using: &random))
    }
    var all: [PollPiece] = []
    for message in messages {
      all += Self.pieces(message, from: all.count, size: Int.random(in: 1...20, using: &random))
    }
    all += all.shuffled(using: &random).prefix(5)
    all.shuffle(using: &random)
    var assembler = PollPieces()
    var received: [String] = []
    var index = 0
    while index < all.count {
      let end = min(all.count, index + Int.random(in: 1...7, using: &random))
      received += Self.texts(try assembler.receive(Array(all[index..<end])))
      index = end
    }
    #expect(received == messages)
    #expect(assembler.sizeBytes == 0)
  }

  @Test("padding is a full stop, and the alphabet is that of base64url")
  func alphabet() throws {
    var assembler = PollPieces()
    let text = Array("eyJ0Ijo_fn5-In0.".utf8)
    #expect(
      Self.texts(try assembler.receive([PollPiece(number: 0, count: 1, text: text)])) == ["{\"t\":?~~~\"}"])
  }

  @Test("invalid and oversized messages are refused")
  func refusedPieces() throws {
    var limits = PollLimits()
    (limits.piecesAheadMax, limits.piecesMax) = (4, 3)
    let broken: [[PollPiece]] = [
      [PollPiece(number: 4, count: 1, text: [])], [PollPiece(number: 0, count: 0, text: [])],
      [PollPiece(number: 0, count: 4, text: [])], [PollPiece(number: 0, count: 1, text: Array("a+b/".utf8))],
      [PollPiece(number: 0, count: 1, text: Array("a".utf8))],
      [PollPiece(number: 0, count: 2, text: [65]), PollPiece(number: 1, count: 3, text: [65])],
      [PollPiece(number: 1, count: 1, text: [UInt8](repeating: 65, count: 33))],
      [PollPiece(number: 0, count: 1, text: [UInt8](repeating: 65, count: 28))],
    ]
    for (index, pieces) in broken.enumerated() {
      var assembler = PollPieces(limits: limits, messageBytesMax: 20)
      #expect(throws: WireError.self, "case \(index)") { try assembler.receive(pieces) }
    }
  }

  // MARK: Scripts

  private static func script(_ json: String) -> String {
    var buffer = ByteBuffer()
    Array(json.utf8).withUnsafeBytes { JavaScriptText.append($0, to: &buffer) }
    return String(buffer: buffer)
  }

  @Test("JSON has the same meaning in a script")
  func scripts() {
    #expect(Self.script(#"{"a":[1,"b"]}"#) == #"{"a":[1,"b"]}"#)
    #expect(Self.script("[\"\u{2028}x\u{2029}\u{2030}\"]") == "[\"\\u2028x\\u2029\u{2030}\"]")
    #expect(Self.script(#"["</script><b>"]"#) == #"["<\/script><b>"]"#)
    #expect(
      Self.script(#"{"__proto__":1,"a":{"b":2,"__proto__":{}}}"#)
        == #"{["__proto__"]:1,"a":{"b":2,["__proto__"]:{}}}"#)
    let untouched = #"{"x\"__proto__":1,"__proto__x":"__proto__","a,\"__proto__":"{\"__proto__\":1}"}"#
    #expect(Self.script(untouched) == untouched)
    #expect(Self.script("\u{2028}") == "\\u2028" && Self.script("<") == "<" && Self.script("") == "")
  }

  @Test("responses are numbered without gaps, and carry the pending messages that fit")
  func answers() {
    var limits = PollLimits()
    limits.answerBytesMax = 10
    var outbox = PollOutbox(limits: limits)
    #expect(String(buffer: outbox.answer(prelude: "x;\n")) == "x;\npRTLPCB(0,[]);\n")
    for text in ["[1234]", "[2]", "[3456]", "[\"a message that does not fit beside others\"]"] {
      outbox.append(OutboundMessage(text: Array(text.utf8)))
    }
    #expect(String(buffer: outbox.answer()) == "pRTLPCB(1,[[1234],[2]]);\n")
    #expect(String(buffer: outbox.answer()) == "pRTLPCB(2,[[3456]]);\n")
    #expect(String(buffer: outbox.answer()) == "pRTLPCB(3,[[\"a message that does not fit beside others\"]]);\n")
    #expect(String(buffer: outbox.answer()) == "pRTLPCB(4,[]);\n")
    #expect(outbox.waitingBytes == 0 && outbox.longestBytes == 0)
  }

  @Test("the last response carries all messages, with the number of the end")
  func lastAnswer() {
    var limits = PollLimits()
    limits.answerBytesMax = 1
    for messages in [["1"], ["1", "2", "3"]] {
      var outbox = PollOutbox(limits: limits)
      _ = outbox.answer()
      for text in messages { outbox.append(OutboundMessage(text: Array(text.utf8))) }
      #expect(
        String(buffer: outbox.answer(isLast: true))
          == "pLPCommand('close',1);\npRTLPCB(1,[\(messages.joined(separator: ","))]);\n")
    }
    var refused = PollOutbox()
    refused.append(OutboundMessage(text: Array("1".utf8)))
    #expect(String(buffer: refused.answer(isLast: true)) == "pRTLPCB(0,[1]);\npLPCommand('close');\n")
  }

  @Test("the two last answers are kept for repeated requests, unless they are long")
  func repeatedAnswers() {
    var limits = PollLimits()
    limits.repeatedBytesMax = 30
    var outbox = PollOutbox(limits: limits)
    let answers = ["1", "2", "3"].map { serial in String(buffer: outbox.answer(to: serial)) }
    #expect(outbox.repeatedAnswer(to: "1") == nil)
    #expect(outbox.repeatedAnswer(to: "2").map { String(buffer: $0) } == answers[1])
    #expect(outbox.repeatedAnswer(to: "3").map { String(buffer: $0) } == answers[2])
    outbox.append(OutboundMessage(text: [UInt8](repeating: UInt8(ascii: "1"), count: 30)))
    _ = outbox.answer(to: "4")
    #expect(outbox.repeatedAnswer(to: "4") == nil)
  }
}
