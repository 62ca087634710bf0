import HearthSystem
import Testing

/// Tests of the generic cell rate algorithm, with a clock that the tests advance.
@Suite struct TokenBucketTests {
  @Test("a bucket holds its capacity, refills with time, and never holds more", arguments: [Int64(1), 7, 1_000])
  func capacity(events: Int64) {
    let cost: Int64 = 60
    var (bucket, now) = (TokenBucket(), Int64(5_000))
    func take() -> Int64 { bucket.take(cost, capacity: events * cost, at: now) }
    for _ in 0..<events { #expect(take() == 0) }
    #expect(take() == cost, "a refusal says when the next one is there, and takes nothing")
    now += cost - 1
    #expect(take() == 1)
    now += 1
    #expect(take() == 0 && bucket.timeUntilFull(at: now) == events * cost)
    now += 1_000 * events * cost
    #expect(bucket.isFull(at: now) && bucket.timeUntilFull(at: now) == 0)
    for _ in 0..<events { #expect(take() == 0) }
    #expect(take() == cost)
  }

  @Test("a request above the bucket's size is accepted when the bucket is full, and makes a debt")
  func debt() {
    var bucket = TokenBucket()
    #expect(bucket.take(10, capacity: 1, at: 0) == 0)
    #expect(bucket.take(1, capacity: 1, at: 0) == 10)
    #expect(bucket.take(10, capacity: 1, at: 9) == 1)
    #expect(bucket.take(10, capacity: 1, at: 10) == 0)
  }

  @Test("a charge is taken in any case, up to a limit")
  func charge() {
    var bucket = TokenBucket()
    for _ in 0..<3 { bucket.charge(20, timeMax: 50, at: 100) }
    #expect(bucket.timeUntilFull(at: 100) == 50)
    bucket.charge(.max, timeMax: 50, at: 130)
    #expect(bucket.timeUntilFull(at: 130) == 50)
  }

  @Test("returned tokens can be taken again")
  func refund() {
    var bucket = TokenBucket()
    #expect(bucket.take(5, capacity: 5, at: 0) == 0 && bucket.take(5, capacity: 5, at: 0) == 5)
    bucket.refund(5)
    #expect(bucket.take(5, capacity: 5, at: 0) == 0)
  }

  @Test("a bucket is lowered to an emptier one, and not raised to a fuller one")
  func lower() {
    var (bucket, emptier) = (TokenBucket(), TokenBucket())
    emptier.charge(7, timeMax: 10, at: 0)
    bucket.lower(to: emptier)
    bucket.lower(to: TokenBucket())
    #expect(bucket.timeUntilFull(at: 0) == 7)
  }
}
