import Testing

@testable import HearthClient

@Suite struct BackOffTests {
  @Test("waits grow by 1.3 from one second to thirty, and 70 % of each is random")
  func grows() {
    var random = ConnectionRandom(seed: 7)
    var backOff = BackOff()
    #expect(backOff.next(using: &random) == 0)
    var expected = 1_000.0
    for _ in 0..<40 {
      backOff.fail()
      let wait = Double(backOff.next(using: &random))
      #expect(wait >= expected * 0.3 - 15 && wait <= expected + 1, "\(wait) of \(expected)")
      expected = min(30_000, expected * 1.3)
    }
    #expect(expected == 30_000)
  }

  @Test("after a good connection attempts are spread over one second; after a request of the app there is no wait")
  func resets() {
    var random = ConnectionRandom(seed: 7)
    var backOff = BackOff()
    backOff.fail()
    backOff.reset(spreading: true)
    let waits = (0..<100).map { _ in
      backOff.reset(spreading: true)
      return backOff.next(using: &random)
    }
    #expect(waits.allSatisfy { (0...1_000).contains($0) })
    #expect(Set(waits).count > 50)
    backOff.reset()
    #expect(backOff.next(using: &random) == 0)
    backOff.jumpToMax()
    #expect(backOff.next(using: &random) >= 9_000)
  }
}
