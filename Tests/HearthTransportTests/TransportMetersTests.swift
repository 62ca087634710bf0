import HearthMetrics
import NIOEmbedded
import ServerTestKit
import Synchronization
import Testing

@testable import HearthTransport

/// Tests of event loops' metrics.
@Suite struct TransportMetersTests {
  /// A clock that the test sets.
  private final class ManualClock: Sendable {
    let nanoseconds = Atomic<UInt64>(1)

    func advance(milliseconds: UInt64) { nanoseconds.wrappingAdd(milliseconds * 1_000_000, ordering: .relaxed) }
  }

  @Test("the delay of an event loop is measured from the time at which its sweep was due")
  func delay() throws {
    let (registry, clock, eventLoop) = (MetricsRegistry(), ManualClock(), EmbeddedEventLoop())
    let meters = TransportMeters(registry, nanoseconds: { clock.nanoseconds.load(ordering: .relaxed) })
    let loop = TransportLoop(eventLoop: eventLoop, index: 0, memory: .ofTest(), meters: meters)
    loop.start()
    for milliseconds: UInt64 in [1_000, 1_000, 1_400, 900] {
      clock.advance(milliseconds: milliseconds)
      eventLoop.advanceTime(by: .seconds(1))
    }
    loop.stop()
    let family = registry.families().first { $0.description == .loopDelay }
    guard case .histogram(let counts)? = family?.series.first?.value else {
      Issue.record("no histogram")
      return
    }
    #expect(counts.counts.reduce(0, +) == 3, "the first sweep has no due time")
    #expect(abs(counts.sum - 0.4) < 1e-9, "an early sweep has no delay")
  }

  @Test("answers are counted by the first digit of their status, including refusals")
  func answers() throws {
    let registry = MetricsRegistry()
    let connection = try TestConnection(meters: TransportMeters(registry, nanoseconds: { 0 }))
    try connection.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n")
    let socket = try TestConnection(meters: TransportMeters(registry, nanoseconds: { 0 }))
    try socket.send(ClientFrame.handshake())
    let counted = registry.families().first { $0.description == .responses }?.series.map { series in
      "\(series.labels[0].value) \(series.value)"
    }
    #expect(
      counted == ["1xx number(1.0)", "2xx number(1.0)", "3xx number(0.0)", "4xx number(1.0)", "5xx number(0.0)"])
  }
}
