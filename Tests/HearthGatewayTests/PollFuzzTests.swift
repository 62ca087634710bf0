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

/// Tests of long-poll messages and multipart forms with random bytes, and of scripts from random data.
@Suite struct PollFuzzTests {
  private static func bytes(_ words: [String], _ count: ClosedRange<Int>, _ numbers: inout SeededRandom) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: count, using: &numbers) {
      if Int.random(in: 0..<6, using: &numbers) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &numbers))
      } else {
        bytes += Array((words.randomElement(using: &numbers) ?? "").utf8)
      }
    }
    return bytes
  }

  @Test func `any query string is refused or is a valid request`() {
    let words = [
      "start=t", "&", "&", "&", "&cb=1", "cb=", "&id=5", "&pw=a", "&ser=7", "&seg0=0", "&ts0=1", "&d0=", "e30.",
      "&seg1=",
      "seg", "ts", "d", "-1", "99999999999999999999", "999999999999999999", "0", "00", "=", "%", "%41", "%ff", "%C3%A9",
      "é", "\u{301}", "٣", "disconn=t", "dframe=t", "&v=5&ns=a", "&seg0=0&ts0=1&d0=e30.", "&seg1=1&ts1=2&d1=e3",
      "&seg2=2&ts2=2&d2=0.",
    ]
    var polls = 0
    for seed in 0..<20_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let isPoll = Int.random(in: 0..<2, using: &numbers) == 0
      let query = (isPoll ? Array("id=5&pw=a&ser=7&".utf8) : []) + Self.bytes(words, 0...12, &numbers)
      switch PollRequest(query) {
      case .start(let callback)?:
        let isNumber = callback.utf8.allSatisfy { (0x30...0x39).contains($0) } && !callback.isEmpty
        if !isNumber { Issue.record("seed \(seed): \(callback)") }
      case .poll(_, let poll)?:
        polls += poll.pieces.count
        if poll.pieces.contains(where: { $0.number < 0 || $0.count < 0 }) { Issue.record("seed \(seed)") }
        var pieces = PollPieces(messageBytesMax: 100)
        _ = try? pieces.receive(poll.pieces)
      case .page, .disconnect, nil: break
      }
    }
    #expect(polls > 100)
  }

  @Test func `pieces in any order and repetition give the messages once and in order; others are refused`() throws {
    for seed in 0..<500 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let messages = (0..<Int.random(in: 1...20, using: &numbers)).map { number in
        Array("\(number)".utf8) + (0..<Int.random(in: 0...40, using: &numbers)).map { UInt8($0) }
      }
      var all: [PollPiece] = []
      for message in messages {
        var letters = Array(Base64URL.encode(message).utf8)
        while letters.count % 4 != 0 { letters.append(UInt8(ascii: ".")) }
        let size = Int.random(in: 1...12, using: &numbers)
        let parts = stride(from: 0, to: letters.count, by: size).map { letters[$0..<min($0 + size, letters.count)] }
        for part in parts { all.append(PollPiece(number: all.count, count: parts.count, text: Array(part))) }
      }
      var shuffled = (all + all.filter { _ in Int.random(in: 0..<4, using: &numbers) == 0 })[...]
      var waiting: [PollPiece] = []
      var limits = PollLimits()
      limits.piecesAheadMax = 2_000
      var pieces = PollPieces(limits: limits, messageBytesMax: 1_000)
      var received: [[UInt8]] = []
      while !shuffled.isEmpty || !waiting.isEmpty {
        waiting += shuffled.prefix(20)
        shuffled = shuffled.dropFirst(20)
        waiting.shuffle(using: &numbers)
        let count = Int.random(in: 1...5, using: &numbers)
        received += try pieces.receive(Array(waiting.prefix(count)))
        waiting.removeFirst(min(count, waiting.count))
      }
      if received != messages || pieces.sizeBytes != 0 { Issue.record("seed \(seed)") }
      // A damaged message is refused, or becomes another one; the memory stays within its limit.
      var spoilt = all
      let place = Int.random(in: 0..<all.count, using: &numbers)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: spoilt[place].count = [0, 1, 7, .max].randomElement(using: &numbers) ?? 0
      case 1: spoilt[place].text = [0xFF, 0x2E, 0x0A]
      case 2: spoilt[place].number = [place + 1, .max, 255, 256].randomElement(using: &numbers) ?? 0
      default: spoilt[place].text = []
      }
      var others = PollPieces(messageBytesMax: 64)
      _ = try? others.receive(spoilt)
      if others.sizeBytes > 64 / 3 * 4 + 4 || others.sizeBytes < 0 { Issue.record("seed \(seed): \(others.sizeBytes)") }
    }
  }

  @Test func `a JSONP response holds the data unchanged, and no data ends the script or a line`() throws {
    let words = [
      "</script>", "<", "/", "\u{2028}", "\u{2029}", "\u{2027}", "\u{202A}", "\"", "\\", "\\u2028", "__proto__",
      "\"__proto__\":", "{\"__proto__\":", ",\"__proto__\":1", "<!--", "-->", "]]>", "\n", "\u{7f}", "é", "🐵", "'", "`",
      "${",
      "\u{FEFF}", "\u{E2}", ":", "[\"__proto__\"]:",
    ]
    for seed in 0..<3_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      func text() -> String { String(decoding: Self.bytes(words, 0...5, &numbers), as: UTF8.self) }
      let names = Set((0..<3).map { _ in text() } + ["__proto__"])
      let data = JSON.array([
        .object(names.map { .init($0, .string(text())) }), .string(text()), .object([.init(text(), .object([]))]),
        .object([.init("__proto__", .array([.string("__proto__"), .object([.init("__proto__", .null)])]))]),
      ])
      var buffer = ByteBuffer()
      data.text().withUnsafeBytes { JavaScriptText.append($0, to: &buffer) }
      let script = String(buffer: buffer)
      let scalars = Set(script.unicodeScalars)
      if scalars.contains("\u{2028}") || scalars.contains("\u{2029}") || scalars.contains("\n") || script.contains("</")
      {
        Issue.record("seed \(seed): \(script)")
      }
      if script.contains("{\"__proto__\":") || script.contains(",\"__proto__\":") {
        Issue.record("seed \(seed): \(script)")
      }
      // Computed names are the only part that is not JSON.
      let json = script.replacing("{[\"__proto__\"]:", with: "{\"__proto__\":")
        .replacing(",[\"__proto__\"]:", with: ",\"__proto__\":")
      if JSON(parsing: json.utf8) != data { Issue.record("seed \(seed): \(script)") }
    }
  }

  @Test func `any form is refused, or its parts lie within it between its boundaries`() {
    let words = [
      "--XyZ", "\r\n", "\r\n", "\r\n\r\n", "--", "\r\n--XyZ", "--XyZ--", "\r\n--XyZ\r\n",
      "Content-Disposition: form-data",
      "; name=\"f\"", "; filename=\"d.json\"", "Content-Type: application/json", "{\"a\":1}", ":", "é",
    ]
    var found = 0
    for seed in 0..<20_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      var body = ByteBuffer(bytes: Self.bytes(words, 0...3, &numbers))
      // Bytes of the buffer that were consumed before are not part of the form.
      body.moveReaderIndex(to: min(2, body.writerIndex))
      let isSound = Int.random(in: 0..<2, using: &numbers) == 0
      if isSound { body.writeString("--XyZ\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n") }
      body.writeBytes(Self.bytes(words, 0...12, &numbers))
      if isSound { body.writeString("\r\n--XyZ--") }
      guard let form = MultipartForm(body, contentType: "multipart/form-data; boundary=XyZ") else { continue }
      found += form.parts.count
      for part in form.parts where String(buffer: part.content).contains("\r\n--XyZ") { Issue.record("seed \(seed)") }
      _ = form.file
    }
    #expect(found > 1_000)
    let types = ["multipart/form-data", ";", "boundary", "=", "\"", " ", "a", "é", "\u{0}", "Boundary=b", "\t", "--"]
    for seed in 0..<2_000 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let type = String(decoding: Self.bytes(types, 0...8, &numbers), as: UTF8.self)
      _ = MultipartForm(ByteBuffer(string: "--a\r\n\r\nx\r\n--a--"), contentType: "multipart/form-data;" + type)
    }
  }
}
