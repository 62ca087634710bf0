import RandomTestKit
import Testing

@testable import HearthPluginHost

@Suite struct WebhookHealthTests {
  static func answering() -> WebhookHealth {
    var health = WebhookHealth(random: SeededRandom(seed: 1))
    _ = health.answeredHello()
    return health
  }

  @Test("a service that answers hello is ready; otherwise hello is retried with growing delays")
  func greeting() {
    var health = WebhookHealth(random: SeededRandom(seed: 1))
    #expect(health.health == .starting && !health.isSettled)
    var waits: [Int64] = []
    for _ in 0..<12 { waits.append(health.failedHello("is not there")) }
    #expect(health.health == .down(reason: "is not there") && health.isSettled)
    for (index, wait) in waits.enumerated() {
      let whole = min(WebhookHealth.backOffMilliseconds << index, WebhookHealth.backOffMillisecondsMax)
      #expect((whole * 4 / 5...whole * 6 / 5).contains(wait), "wait \(index + 1) is \(wait)")
    }
    let returned = health.answeredHello()
    #expect(returned && health.health == .running && health.returnCount == 1)
    // The next failure begins with the shortest wait.
    let wait = health.failedHello("again")
    #expect(wait <= WebhookHealth.backOffMilliseconds * 6 / 5)
  }

  @Test("one failed hello does not fail waiting requests, two do")
  func settles() {
    var health = WebhookHealth(random: SeededRandom(seed: 1))
    _ = health.failedHello("a")
    #expect(!health.isSettled)
    _ = health.failedHello("b")
    #expect(health.isSettled)
  }

  @Test(
    "five failed requests in a row open the circuit breaker, for every kind of failure",
    arguments: [PluginOutcome.late, .unreachable("x"), .unusable("x")])
  func opens(outcome: PluginOutcome) {
    var health = Self.answering()
    let verdicts = (1...WebhookHealth.failuresMax).map { _ in health.note(outcome) }
    #expect(verdicts == Array(repeating: false, count: WebhookHealth.failuresMax - 1) + [true])
    #expect(health.health == .down(reason: "it \(outcome.text)"))
    // Requests in flight report no new failure.
    let late = health.note(outcome)
    #expect(!late)
  }

  @Test("any answer, also a refusal, resets the failure count; the server's own errors do not count")
  func counts() {
    for good in [PluginOutcome.output(.null), .failed(.init("no", isTemporary: false))] {
      var health = Self.answering()
      for _ in 0..<3 {
        for _ in 1..<WebhookHealth.failuresMax { _ = health.note(.late) }
        _ = health.note(good)
      }
      for _ in 0..<20 { _ = health.note(.overloaded) }
      #expect(health.health == .running)
    }
  }

  @Test("when drained, it ends with its last request and never becomes ready again")
  func drains() {
    var health = Self.answering()
    health.drain(isIdle: false)
    #expect(health.health == .draining)
    let returned = health.answeredHello()
    #expect(!returned && health.health == .draining)
    health.becameIdle()
    #expect(health.health == .stopped)
    health.drain(isIdle: false)
    #expect(health.health == .stopped)
  }
}
