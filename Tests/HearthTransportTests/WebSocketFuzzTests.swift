import NIOCore
import RandomTestKit
import ServerTestKit
import Testing

@testable import HearthTransport

@Suite struct WebSocketFuzzTests {
  /// Returns mostly valid frames of all kinds; the seed decides.
  private func stream(_ numbers: inout SeededRandom) -> [UInt8] {
    let texts = ["", "0", "2", "{}", "é🐵", String(repeating: "x", count: 130), "12345", "\u{0}\u{7F}"]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...8, using: &numbers) {
      let text = texts.randomElement(using: &numbers) ?? ""
      let mask = (0..<4).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let first: UInt8 = [0x81, 0x81, 0x81, 0x01, 0x00, 0x80, 0x89, 0x8A, 0x88].randomElement(using: &numbers) ?? 0x81
      let payload = first & 0x08 == 0 ? Array(text.utf8) : Array(text.utf8.prefix(20))
      bytes += ClientFrame.bytes(first: first, payload, mask: mask)
    }
    return bytes
  }

  private func mutate(_ bytes: [UInt8], _ numbers: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...3, using: &numbers) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &numbers)
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
      case 1: bytes[place] = [0x00, 0x7E, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &numbers) ?? 0
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + 3))
      default: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
      }
    }
    return bytes
  }

  @Test func `any bytes give the same frames however they are divided, and memory stays bounded`() {
    for seed in 0..<1500 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let bytes = mutate(stream(&numbers), &numbers)
      let whole = WebSocketFrameTests.read(bytes, messageBytesMax: 300)
      let piece = Int.random(in: 1...9, using: &numbers)
      if WebSocketFrameTests.read(bytes, piece: piece, messageBytesMax: 300) != whole {
        Issue.record("seed \(seed), pieces of \(piece)")
      }
      if whole.contains(where: { $0.utf8.count > 5 + 300 }) { Issue.record("seed \(seed), a message over its limit") }
    }
  }

  @Test func `any bytes on a socket end in order: opened, events, closed at most once`() throws {
    for seed in 0..<150 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let (connection, delegate) = try TestConnection.socket()
      var rest = mutate(stream(&numbers), &numbers)[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...40, using: &numbers)
        try connection.send(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        if Int.random(in: 0..<20, using: &numbers) == 0 { delegate.socket?.close() }
        if Int.random(in: 0..<20, using: &numbers) == 0 { connection.advance(seconds: 10) }
      }
      let frames = try connection.frames()
      let closes = frames.filter { $0.opcode == 8 }.count
      if closes > 1 || frames.dropLast().contains(where: { $0.opcode == 8 }) { Issue.record("seed \(seed), \(frames)") }
      connection.advance(seconds: 200)
      let events = delegate.events
      if connection.isOpen || connection.loop.connectionCount != 0 { Issue.record("seed \(seed), left open") }
      if events.first != "opened" || events.last != "closed" || events.filter({ $0 == "closed" }).count != 1 {
        Issue.record("seed \(seed), \(events)")
      }
    }
  }

  @Test func `any bytes on a connection end in a response or a closed connection`() throws {
    let sound = [
      "GET /a.json HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n123",
      "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n0\r\n\r\n",
      String(decoding: ClientFrame.handshake(), as: UTF8.self),
    ]
    for seed in 0..<150 as Range<UInt64> {
      var numbers = SeededRandom(seed: seed)
      let connection = try TestConnection()
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        bytes += Array((sound.randomElement(using: &numbers) ?? "").utf8)
      }
      var rest = mutate(bytes, &numbers)[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...100, using: &numbers)
        try? connection.send(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      connection.advance(seconds: 300)
      if connection.isOpen || connection.loop.connectionCount != 0 || connection.loop.memory.heldBytes != 0 {
        Issue.record("seed \(seed)")
      }
    }
  }
}
