import HearthTree
import RandomTestKit
import Testing

@Suite("Push ids") struct PushIDTests {
  @Test("Push ids begin with the time") func beginWithTheTime() {
    var (generator, random) = (PushIDGenerator(), SeededRandom(seed: 1))
    let id = generator.next(nowMilliseconds: 1_795_223_998_080, using: &random)
    #expect(id.utf8.count == 20)
    #expect(id.hasPrefix("-P6vg3u-"))
    let key = Key(id)
    #expect(key.problem == nil)
  }

  @Test("Push ids ascend within a millisecond, and when the clock steps back")
  func ascendWithinAMillisecondAndWhenTheClockStepsBack() {
    var (generator, random) = (PushIDGenerator(), SeededRandom(seed: 2))
    var last = Key("")
    for step in 0..<5_000 {
      let now = 1_000_000 + Int64(step / 100) - (step % 7 == 0 ? 500 : 0)
      let next = Key(generator.next(nowMilliseconds: now, using: &random))
      #expect(last < next)
      #expect(next.text.utf8.count == 20)
      last = next
    }
  }

  @Test("Within a millisecond the last digits count up") func countUpTheLastDigits() {
    var (generator, random) = (PushIDGenerator(), Constant(bits: 0))
    let ids = (0..<66).map { _ in generator.next(nowMilliseconds: 1, using: &random) }
    #expect(ids.prefix(3) == ["-------0------------", "-------0-----------0", "-------0-----------1"])
    #expect(ids.suffix(3) == ["-------0-----------z", "-------0----------0-", "-------0----------00"])
  }

  @Test("When all digits are used up, the next millisecond is used")
  func carryIntoTheNextMillisecondWhenEveryDigitIsUsedUp() {
    var (generator, random) = (PushIDGenerator(), Constant(bits: .max))
    #expect(generator.next(nowMilliseconds: 5, using: &random) == "-------4zzzzzzzzzzzz")
    #expect(generator.next(nowMilliseconds: 5, using: &random) == "-------5zzzzzzzzzzzz")
  }

  @Test("Push ids are made for any time", arguments: [Int64.min, -1, 0, 1 << 48, .max]) func existForAnyClock(
    now: Int64
  ) {
    var (generator, random) = (PushIDGenerator(), SeededRandom(seed: 3))
    #expect(generator.next(nowMilliseconds: now, using: &random).utf8.count == 20)
    #expect(generator.next(nowMilliseconds: now, using: &random).utf8.count == 20)
  }

  private struct Constant: RandomNumberGenerator {
    var bits: UInt64
    mutating func next() -> UInt64 { bits }
  }
}
