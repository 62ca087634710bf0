import Glibc
import NIOCore
import Testing

@testable import HearthTransport

/// Tests of the output table of an event loop: queued data is sent in order and once, bypassing the channel when
/// possible.
@Suite struct OutletTableTests {
  /// A client's channel that records its output, with both ends of its socket.
  private final class Line: OutletChannel {
    let table: OutletTable
    private let near: Int32
    private let far: Int32
    var row = -1
    var waitingBytes = 0
    var written: [UInt8] = []
    var flushCount = 0
    var onFlush: () -> Void = {}

    /// Creates a channel.
    ///
    /// - Parameter sendBytes: The send buffer of the socket; the system makes it a little larger.
    init(in table: OutletTable, hasSocket: Bool = true, sendBytes: Int32 = 0) {
      self.table = table
      var pair: [Int32] = [-1, -1]
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
      (near, far) = (pair[0], pair[1])
      if sendBytes > 0 {
        var bytes = sendBytes
        setsockopt(near, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
      }
      row = table.add(self, descriptor: hasSocket ? near : -1)
    }

    deinit {
      close(near)
      close(far)
    }

    var id: OutletID { table.id(row) }

    func write(_ bytes: ByteBuffer) {
      written += Array(bytes.readableBytesView)
      waitingBytes += bytes.readableBytes
    }

    func flushChannel() {
      flushCount += 1
      onFlush()
    }

    /// Returns the parts received at the other end, each as it was sent.
    func received() -> [UInt8] {
      var (all, part): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 20))
      while true {
        let count = recv(far, &part, part.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return all }
        all += part.prefix(count)
      }
    }

    /// Closes the client's end of the socket.
    func closeFar() { shutdown(far, Int32(SHUT_RDWR)) }

    func text() -> String { String(decoding: received(), as: UTF8.self) }
  }

  private static func bytes(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

  private static func tell(_ text: String, _ lines: [Line]) {
    var step = OutletStep(bytes(text))
    for line in lines { line.table.stage(line.id, &step) }
  }

  @Test func `broadcasts and single messages are sent in order within a pass`() {
    let table = OutletTable()
    let lines = (0..<5).map { _ in Line(in: table) }
    Self.tell("a", lines)
    table.stage(lines[2].row, Self.bytes("(mine)"))
    Self.tell("b", lines)
    Self.tell("c", Array(lines[1...3]))
    #expect(lines.allSatisfy { $0.text().isEmpty })
    table.flush()
    #expect(lines.map { $0.text() } == ["ab", "abc", "a(mine)bc", "abc", "ab"])
    Self.tell("d", lines)
    table.flush(lines[0].row)
    #expect(lines.map { $0.text() } == ["d", "", "", "", ""])
    table.flush()
    #expect(lines.map { $0.text() } == ["", "d", "d", "d", "d"])
    #expect(lines.allSatisfy { $0.written.isEmpty && table.takeDirectBytes($0.row) > 0 })
  }

  @Test func `a step from before a pass has no effect`() {
    let table = OutletTable()
    let lines = (0..<3).map { _ in Line(in: table) }
    var step = OutletStep(Self.bytes("a"))
    table.stage(lines[0].id, &step)
    table.flush()
    Self.tell("x", lines)
    for line in lines { table.stage(line.id, &step) }
    table.flush()
    #expect(lines.map { $0.text() } == ["axa", "xa", "xa"])
  }

  @Test
  func
    `data that a socket does not accept goes through the channel, with all data after it until the channel is empty`()
  {
    let table = OutletTable()
    let (slow, quick) = (Line(in: table, sendBytes: 4_096), Line(in: table))
    let large = String(repeating: "x", count: 100_000)
    Self.tell(large, [slow, quick])
    table.flush()
    Self.tell("b", [slow, quick])
    table.flush()
    #expect(quick.text() == large + "b" && quick.written.isEmpty)
    let direct = slow.text()
    #expect(!direct.isEmpty && direct.count < large.count)
    #expect(direct + String(decoding: slow.written, as: UTF8.self) == large + "b" && slow.flushCount == 2)
    #expect(!table.isClear(slow.row))
    slow.waitingBytes = 0
    Self.tell("c", [slow])
    table.flush()
    #expect(slow.text() == "c" && slow.flushCount == 2)
  }

  @Test func `data for a client without its own socket goes through its channel`() {
    let table = OutletTable()
    let (encrypted, plain) = (Line(in: table, hasSocket: false), Line(in: table))
    for text in ["a", "b"] { Self.tell(text, [encrypted, plain]) }
    table.flush()
    #expect(encrypted.written == Array("ab".utf8) && encrypted.flushCount == 1 && encrypted.received().isEmpty)
    #expect(plain.text() == "ab")
  }

  @Test func `messages that other code has written to the channel are waited for`() {
    let table = OutletTable()
    let line = Line(in: table)
    line.waitingBytes = 7
    Self.tell("a", [line])
    table.flush()
    #expect(line.text().isEmpty && line.written == Array("a".utf8))
  }

  @Test func `a sealed connection gets no messages of others, and gets its owner's last message`() {
    let table = OutletTable()
    let line = Line(in: table)
    let id = line.id
    Self.tell("a", [line])
    table.seal(line.row)
    var step = OutletStep(Self.bytes("b"))
    table.stage(id, &step)
    table.stage(line.row, Self.bytes("bye"))
    table.flush()
    #expect(line.text() == "abye")
  }

  @Test func `a connection in a reused slot gets no message of its predecessor`() {
    let table = OutletTable()
    let first = Line(in: table)
    let id = first.id
    Self.tell("a", [first])
    table.remove(first.row)
    let second = Line(in: table)
    #expect(second.row == first.row && table.count == 1)
    var step = OutletStep(Self.bytes("b"))
    table.stage(id, &step)
    table.flush()
    #expect(first.text().isEmpty && second.text().isEmpty)
    Self.tell("c", [second])
    table.flush()
    #expect(second.text() == "c")
  }

  @Test func `connections may end, begin and get messages during a pass`() {
    let table = OutletTable()
    let (first, second, third) = (Line(in: table, hasSocket: false), Line(in: table), Line(in: table))
    var fourth: Line?
    first.onFlush = {
      first.onFlush = {}
      table.remove(second.row)
      fourth = Line(in: table)
      Self.tell("late", [third] + (fourth.map { [$0] } ?? []))
      table.flush()
    }
    Self.tell("a", [first, second, third])
    table.flush()
    #expect(first.written == Array("a".utf8))
    #expect(second.text().isEmpty && third.text() == "alate")
    #expect(fourth?.row == second.row && fourth?.text() == "late")
  }

  @Test func `much data for one client is sent in parts, which are not joined beyond the limit`() {
    let table = OutletTable()
    let line = Line(in: table)
    let texts = (0..<40).map { number in "\(number):" + String(repeating: "y", count: 1_000) }
    for text in texts { Self.tell(text, [line]) }
    #expect(line.received().count > OutletTable.coalescedBytesMax)
    table.stage(line.row, Self.bytes(String(repeating: "z", count: 20_000)))
    table.stage(line.row, Self.bytes("end"))
    table.flush()
    #expect(line.written.isEmpty && line.text().hasSuffix("zend"))
  }

  @Test func `a socket that the client has closed is left to the channel to notice`() {
    let table = OutletTable()
    let line = Line(in: table)
    let broken = Line(in: table)
    broken.closeFar()
    Self.tell("a", [line, broken])
    table.flush()
    #expect(line.text() == "a" && broken.written == Array("a".utf8) && broken.flushCount == 1)
  }
}
