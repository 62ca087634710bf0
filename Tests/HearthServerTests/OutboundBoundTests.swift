import NIOCore
import NIOEmbedded
import Testing

@testable import HearthServer

/// Clients that take nothing must not add up to the machine's memory.
@Suite struct OutboundBoundTests {
  private final class Client: TransportConnection {
    let outboundBytes: Int
    private(set) var isGivenUp = false

    init(_ outboundBytes: Int) { self.outboundBytes = outboundBytes }

    func sweep() {}
    func shutDown() {}
    func abort() {}
    func giveUpOutbound() { isGivenUp = true }
  }

  /// Which of the clients are given up within a second.
  private func givenUp(_ waiting: [Int], bytesMax: Int) -> [Bool] {
    let eventLoop = EmbeddedEventLoop()
    var limits = TransportLimits()
    limits.outboundBytesPerLoopMax = bytesMax
    let loop = TransportLoop(eventLoop: eventLoop, index: 0, limits: limits)
    loop.start()
    let clients = waiting.map(Client.init)
    for client in clients { loop.add(client) }
    eventLoop.advanceTime(by: .seconds(1))
    loop.stop()
    return clients.map(\.isGivenUp)
  }

  @Test("within the bound everybody stays")
  func within() {
    #expect(givenUp([40, 0, 60], bytesMax: 100) == [false, false, false])
  }

  @Test("beyond it those go for whom most waits, and no more of them than must")
  func beyond() {
    #expect(givenUp([10, 50, 0, 40, 20], bytesMax: 70) == [false, true, false, false, false])
    #expect(givenUp([10, 50, 0, 40, 20], bytesMax: 69) == [false, true, false, true, false])
  }

  @Test("a large answer finds room before it joins what waits, and a small one waits for the sweep")
  func room() {
    func givenUp(_ waiting: [Int], for bytes: Int) -> [Bool] {
      var limits = TransportLimits()
      (limits.outboundBytesPerLoopMax, limits.outboundBytesFree) = (100, 10)
      let loop = TransportLoop(eventLoop: EmbeddedEventLoop(), index: 0, limits: limits)
      let clients = waiting.map(Client.init)
      for client in clients { loop.add(client) }
      loop.makeRoom(for: bytes)
      return clients.map(\.isGivenUp)
    }
    #expect(givenUp([30, 40, 20], for: 10) == [false, false, false])
    #expect(givenUp([30, 50, 20], for: 10) == [false, false, false])
    #expect(givenUp([30, 50, 20], for: 11) == [false, true, false])
    #expect(givenUp([30, 50, 20], for: 60) == [true, true, false])
    #expect(givenUp([30, 50, 0], for: 500) == [true, true, false])
  }
}
