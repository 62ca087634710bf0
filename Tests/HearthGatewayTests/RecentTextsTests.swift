import HearthTree
import NIOCore
import ServerTestKit
import Testing

@testable import HearthGateway
@testable import HearthTransport

/// Tests of shared texts: recipients of the same value in the same format share its bytes while they are in use.
@Suite struct RecentTextsTests {
  @Test func `a value's text is shared while it is in use, counted once, and dropped with its last user`()
    throws
  {
    let memory = ClientMemory.ofTest()
    let recent = RecentTexts(memory: memory)
    let words = RecentTexts.Format.stream(StreamForm(depth: 1, json: .plain), Path("a"))
    let node = Node(.string("value"))
    var made = 0
    func text(of node: Node, _ words: RecentTexts.Format) -> SharedText? {
      recent.text(of: node, in: words) {
        made += 1
        return ByteBuffer(string: "text")
      }?.counted
    }
    let first = try #require(text(of: node, words))
    let second = try #require(text(of: node, words))
    #expect(first === second && made == 1 && memory.heldBytes == 4)
    withExtendedLifetime(first) {
      let other = text(of: node, .push(Path("a"), tag: nil))
      #expect(other !== first && made == 2, "other words")
      let third = text(of: Node(.string("other")), words)
      #expect(third !== first && made == 3, "another value")
      #expect(memory.heldBytes == 12)
      _ = (other, third)
    }
  }

  @Test func `unused texts are not kept`() throws {
    let memory = ClientMemory.ofTest()
    let recent = RecentTexts(memory: memory)
    let words = RecentTexts.Format.push(Path("a"), tag: 1)
    let node = Node(.string("value"))
    for round in 1...100 {
      let (bytes, counted) = try #require(recent.text(of: node, in: words) { ByteBuffer(string: "\(round)") })
      #expect(String(buffer: bytes) == "\(round)" && memory.heldBytes == counted.sizeBytes)
    }
    #expect(memory.heldBytes == 0)
    #expect(recent.text(of: node, in: words) { nil } == nil)
  }

  @Test func `the text of a frame that was encoded before is found`() throws {
    for count in [1, 100, 126, 60_000, 70_000] {
      let message = OutboundMessage(text: [UInt8](repeating: 0x20, count: count))
      let again = OutboundMessage(frame: message.frame, counted: ClientMemory.ofTest().text(bytes: count))
      #expect(again.sizeBytes == count && again.text.readableBytes == count)
    }
  }
}
