import HearthTriggers
import Testing

@Suite struct DeliveryTests {
  static let start: Int64 = 1_795_329_000_000

  static func event(_ position: Int64, _ ref: String = "a", source: Int = 0) -> WaitingEvent {
    WaitingEvent(key: EventKey(source: source, position: position, ordinal: 1), ref: ref, milliseconds: start)
  }

  static func delivery(retries: Bool = true, concurrency: Int = 8, _ events: [WaitingEvent]) -> Delivery {
    var delivery = Delivery(policy: Delivery.Policy(retries: retries, concurrency: concurrency))
    delivery.add(events)
    return delivery
  }

  /// Returns the positions of started deliveries.
  static func starts(_ delivery: inout Delivery, at now: Int64 = start, slots: Int = 64) -> [Int64] {
    delivery.work(now: now, slots: slots).starts.map(\.key.position)
  }

  @Test("events of one location are sent one at a time in order; events of other locations may overtake them")
  func order() {
    var delivery = Self.delivery([Self.event(1), Self.event(2), Self.event(3, "b"), Self.event(4)])
    #expect(Self.starts(&delivery) == [1, 3])
    #expect(Self.starts(&delivery) == [])
    // The first event fails twice; no later event at its location is sent before it.
    for (attempt, wait) in [(1, Int64(1_000)), (2, 2_000)] {
      let now = Self.start
      let due = now + wait
      #expect(
        delivery.finish(Self.event(1).key, .failed("status 500"), now: now, chance: 0.5)
          == .waits(attemptCount: attempt, dueMilliseconds: due))
      #expect(Self.starts(&delivery, at: due - 1) == [])
      #expect(delivery.nextMilliseconds == due)
      #expect(Self.starts(&delivery, at: due) == [1])
    }
    #expect(delivery.finish(Self.event(3, "b").key, .done, now: Self.start, chance: 0.5) == .delivered)
    #expect(delivery.finish(Self.event(1).key, .done, now: Self.start, chance: 0.5) == .delivered)
    #expect(Self.starts(&delivery) == [2])
    #expect(delivery.finish(Self.event(2).key, .done, now: Self.start, chance: 0.5) == .delivered)
    #expect(Self.starts(&delivery) == [4])
    #expect(delivery.knownCount == 1)
  }

  @Test("the same path in another database is another location")
  func sources() {
    var delivery = Self.delivery([Self.event(1), Self.event(1, source: 1)])
    #expect(delivery.work(now: Self.start, slots: 64).starts.count == 2)
  }

  @Test("as many events are sent at a time as the registration and the slots allow")
  func concurrency() {
    var delivery = Self.delivery(concurrency: 2, (1...5).map { Self.event($0, "p\($0)") })
    #expect(Self.starts(&delivery, slots: 1) == [1])
    #expect(Self.starts(&delivery) == [2])
    #expect(delivery.nextMilliseconds == nil)
    #expect(delivery.finish(Self.event(1, "p1").key, .done, now: Self.start, chance: 0) == .delivered)
    #expect(Self.starts(&delivery) == [3])
  }

  @Test("waits grow to ten minutes, varied by a fifth")
  func waits() {
    var delivery = Self.delivery([Self.event(1)])
    var (now, seconds): (Int64, [Int64]) = (Self.start, [])
    for _ in 0..<11 {
      #expect(Self.starts(&delivery, at: now) == [1])
      guard
        case .waits(_, let due)? = delivery.finish(Self.event(1).key, .failed("status 503"), now: now, chance: 0.5)
      else {
        Issue.record("does not wait")
        return
      }
      seconds.append((due - now) / 1_000)
      now = due
    }
    #expect(seconds == [1, 2, 5, 10, 30, 60, 120, 300, 600, 600, 600])
    for (chance, wait) in [(0.0, Int64(800)), (1.0, 1_200), (7.0, 1_200)] {
      var other = Self.delivery([Self.event(1)])
      _ = Self.starts(&other)
      #expect(
        other.finish(Self.event(1).key, .failed("status 500"), now: Self.start, chance: chance)
          == .waits(attemptCount: 1, dueMilliseconds: Self.start + wait))
    }
  }

  @Test(
    "each response has the expected effect, with retries and without",
    arguments: [
      (AttemptOutcome.done, false, false), (.unknownFunction, true, true), (.refused("status 400"), true, true),
      (.failed("status 500"), true, false),
      (.unknown("no answer in time"), true, false), (.notRun("refused"), false, false),
    ])
  func classes(outcome: AttemptOutcome, isDeadWithout: Bool, isDeadWith: Bool) {
    for (retries, isDead) in [(false, isDeadWithout), (true, isDeadWith)] {
      var delivery = Self.delivery(retries: retries, [Self.event(1)])
      _ = Self.starts(&delivery)
      let settlement = delivery.finish(Self.event(1).key, outcome, now: Self.start, chance: 0.5)
      if case .dead? = settlement { #expect(isDead) } else { #expect(!isDead) }
    }
  }

  @Test(
    "statuses are classified",
    arguments: [
      (200, AttemptOutcome.done), (204, .done), (302, .refused("status 302")), (400, .refused("status 400")),
      (404, .unknownFunction), (405, .refused("status 405")), (413, .refused("status 413")),
      (431, .refused("status 431")), (410, .gone), (500, .failed("status 500")), (501, .failed("status 501")),
      (429, .notRun("status 429")), (502, .notRun("status 502")), (503, .notRun("status 503")),
      (504, .notRun("status 504")), (100, .refused("status 100")),
    ])
  func statuses(status: Int, outcome: AttemptOutcome) {
    #expect(AttemptOutcome(status: status) == outcome)
  }

  @Test("Retry-After is followed within limits")
  func retryAfter() {
    #expect(AttemptOutcome(status: 429, retryAfter: "2") == .notRun("status 429", retryAfterSeconds: 2))
    #expect(AttemptOutcome(status: 503, retryAfter: "86400") == .notRun("status 503", retryAfterSeconds: 600))
    #expect(AttemptOutcome(status: 503, retryAfter: "-5") == .notRun("status 503", retryAfterSeconds: 0))
    #expect(AttemptOutcome(status: 503, retryAfter: "Wed, 21 Oct") == .notRun("status 503"))
    var delivery = Self.delivery(retries: false, [Self.event(1)])
    _ = Self.starts(&delivery)
    #expect(
      delivery.finish(
        Self.event(1).key, .notRun("status 429", retryAfterSeconds: 2), now: Self.start, chance: 0.9)
        == .waits(attemptCount: 1, dueMilliseconds: Self.start + 2_000))
  }

  @Test("an event that is refused three times and then accepted is delivered, also without retries")
  func reachedAtLast() {
    var delivery = Self.delivery(retries: false, [Self.event(1)])
    var now = Self.start
    for _ in 0..<3 {
      #expect(Self.starts(&delivery, at: now) == [1])
      guard case .waits(_, let due)? = delivery.finish(Self.event(1).key, .notRun("refused"), now: now, chance: 0.5)
      else {
        Issue.record("does not wait")
        return
      }
      now = due
    }
    #expect(Self.starts(&delivery, at: now) == [1])
    #expect(delivery.finish(Self.event(1).key, .done, now: now, chance: 0.5) == .delivered)
  }

  @Test("after five connection failures one event at a time is tried, and all once the receiver is reachable")
  func breaker() {
    var delivery = Self.delivery((1...20).map { Self.event($0, "p\($0)") })
    let first = Self.starts(&delivery)
    #expect(first.count == 8)
    for position in first {
      _ = delivery.finish(Self.event(position, "p\(position)").key, .notRun("refused"), now: Self.start, chance: 0.5)
    }
    #expect(delivery.isCircuitOpen)
    #expect(Self.starts(&delivery) == [])
    var now = Self.start
    var probes: [Int64] = []
    for _ in 0..<3 {
      let next = delivery.nextMilliseconds
      probes.append(((next ?? 0) - now) / 1_000)
      now = next ?? now
      let started = Self.starts(&delivery, at: now)
      #expect(started.count == 1)
      #expect(Self.starts(&delivery, at: now + 3_600_000) == [])
      let position = started[0]
      _ = delivery.finish(Self.event(position, "p\(position)").key, .notRun("refused"), now: now, chance: 0.5)
    }
    // The event had failed eight times before.
    #expect(probes == [10, 30, 60])
    now = delivery.nextMilliseconds ?? now
    let probe = Self.starts(&delivery, at: now)[0]
    #expect(delivery.finish(Self.event(probe, "p\(probe)").key, .done, now: now, chance: 0.5) == .delivered)
    #expect(!delivery.isCircuitOpen)
    var rest: Set<Int64> = []
    while true {
      let started = Self.starts(&delivery, at: now)
      if started.isEmpty { break }
      for position in started {
        rest.insert(position)
        _ = delivery.finish(Self.event(position, "p\(position)").key, .done, now: now, chance: 0.5)
      }
    }
    #expect(rest.count == 19)
    #expect(delivery.knownCount == 0)
  }

  @Test("a day after the write an event is given up")
  func window() {
    var delivery = Self.delivery([Self.event(1), Self.event(2)])
    let end = Self.start + 86_400_000
    #expect(Self.starts(&delivery, at: end - 500) == [1])
    guard case .dead? = delivery.finish(Self.event(1).key, .failed("status 500"), now: end - 500, chance: 0.5) else {
      Issue.record("does not give up")
      return
    }
    let work = delivery.work(now: end, slots: 64)
    #expect(work.starts.isEmpty)
    #expect(work.expired == [Self.event(2)])
    #expect(delivery.knownCount == 0)
  }

  @Test("an unreachable receiver keeps its events, and none is sent while paused")
  func gone() {
    var delivery = Self.delivery([Self.event(1)])
    _ = Self.starts(&delivery)
    #expect(
      delivery.finish(Self.event(1).key, .gone, now: Self.start, chance: 0.5)
        == .waits(attemptCount: 0, dueMilliseconds: 0))
    delivery.isPaused = true
    #expect(Self.starts(&delivery) == [])
    #expect(delivery.nextMilliseconds == nil)
    delivery.isPaused = false
    #expect(Self.starts(&delivery) == [1])
  }

  @Test("returned events are sent before newer ones, and after the one in progress")
  func olderOnes() {
    var delivery = Self.delivery([Self.event(5), Self.event(6)])
    delivery.add([Self.event(1)])
    #expect(Self.starts(&delivery) == [1])
    delivery.add([Self.event(0), Self.event(2)])
    var order: [Int64] = []
    var current: Int64 = 1
    while true {
      #expect(delivery.finish(Self.event(current).key, .done, now: Self.start, chance: 0) == .delivered)
      guard let next = Self.starts(&delivery).first else { break }
      order.append(next)
      current = next
    }
    #expect(order == [0, 2, 5, 6])
  }

  @Test("an event that is removed and added again is sent once, in order")
  func addedAgain() {
    var delivery = Self.delivery([Self.event(2), Self.event(3)])
    #expect(Self.starts(&delivery) == [2])
    delivery.forgetIdle()
    for event in [Self.event(1), Self.event(2), Self.event(3)] where !delivery.knows(event) { delivery.add([event]) }
    #expect(delivery.knownCount == 3)
    #expect(delivery.isUnderWay(Self.event(2).key))
    #expect(delivery.finish(Self.event(2).key, .done, now: Self.start, chance: 0) == .delivered)
    #expect(Self.starts(&delivery) == [1])
    #expect(delivery.finish(Self.event(1).key, .done, now: Self.start, chance: 0) == .delivered)
    #expect(Self.starts(&delivery) == [3])
  }

  @Test("the outcome of an event that is not in progress is ignored")
  func strangers() {
    var delivery = Self.delivery([Self.event(1)])
    #expect(delivery.finish(Self.event(1).key, .done, now: Self.start, chance: 0.5) == nil)
    #expect(delivery.knownCount == 1)
  }

  @Test("the count of delivery attempts continues after a restart")
  func restart() {
    var event = Self.event(1)
    (event.attemptCount, event.dueMilliseconds) = (3, Self.start + 5_000)
    var delivery = Self.delivery([event, Self.event(2)])
    #expect(Self.starts(&delivery) == [])
    #expect(Self.starts(&delivery, at: Self.start + 5_000) == [1])
    #expect(
      delivery.finish(event.key, .failed("status 500"), now: Self.start + 5_000, chance: 0.5)
        == .waits(attemptCount: 4, dueMilliseconds: Self.start + 15_000))
  }
}
