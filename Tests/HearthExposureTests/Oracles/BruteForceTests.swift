import RandomTestKit
import Testing

@testable import HearthExposure

@Suite struct BruteForceTests {
  @Test func `no random request is allowed where the prover says closed`() {
    var check = BruteForce()
    check.triesPerQuestion = 20
    check.measuresTeeth = true
    var summary = BruteForce.Summary()
    let count = Torture.count(sample: 4, full: 20_000)
    for part in Torture.forEach("random requests", 0..<UInt64(count), check.run) { summary += part }
    Torture.report("\(count) rule sets: \(summary)")
    for contradiction in summary.contradictions.prefix(5) { Issue.record("\(contradiction)") }
    #expect(summary.contradictions.isEmpty, "\(summary.contradictions.count) contradictions")
    #expect(summary.closedCount > 50)
    #expect(summary.openCount > 50)
    // The check is strong: the same requests find an allowed one for most open questions.
    #expect(summary.openFoundCount * 2 > summary.openCount)
    // Few questions may stay undecided.
    #expect(summary.undecidedCount * 20 < summary.questionCount)
  }
}
