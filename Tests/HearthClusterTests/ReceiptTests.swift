import Testing

@testable import HearthCluster

@Suite struct ReceiptTests {
  @Test("a result names who has confirmed and, when the time is over, who has not")
  func receipts() {
    let (a, b, c) = (NodeID("a"), NodeID("b"), NodeID("c"))
    var collector = ReceiptCollector(position: 7, of: [a, b], until: MonotonicInstant(milliseconds: 100))
    collector.received(from: c)
    collector.received(from: b)
    #expect(collector.result(at: MonotonicInstant(milliseconds: 99)) == nil)
    let late = collector.result(at: MonotonicInstant(milliseconds: 100))
    #expect(late == ReceiptCollector.Result(position: 7, confirmed: [b], silent: [a]))
    collector.received(from: a)
    #expect(collector.result(at: MonotonicInstant(milliseconds: 1))?.silent == [])
  }
}
