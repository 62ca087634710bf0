import HearthRules
import RandomTestKit
import Testing

@testable import HearthExposure

/// Tests against an independent oracle: a separate encoding and the solver z3.
@Suite(.enabled(if: SMTSolver.path != nil, "z3 is not installed: apt-get install z3"))
struct SMTOracleTests {
  @Test func `the solver finds no request where the prover says closed`() throws {
    var summary = SMTOracle.Summary()
    for seed in 0..<Torture.count(sample: 3, full: 600) { summary += try SMTOracle.check(seed: UInt64(seed)) }
    Torture.report("\(summary)")
    for contradiction in summary.contradictions.prefix(5) { Issue.record("\(contradiction)") }
    #expect(summary.closedCount > 50)
    #expect(summary.foundCount > 20)
    // A request that the evaluator refuses shows an error of the encoding.
    #expect(summary.unconfirmedCount * 5 < summary.foundCount)
  }
}
