import RandomTestKit
import Testing

@Suite struct SeededRandomTests {
  /// Checks the first numbers of SplitMix64 against those that its authors published.
  @Test func `A seed gives the published numbers, so that a recorded seed always has the same meaning`() {
    var random = SeededRandom(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }
}
