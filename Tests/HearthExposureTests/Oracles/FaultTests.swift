import HearthRules
import RandomTestKit
import Testing

@testable import HearthExposure

/// Tests with faults planted in rules of inference, which must be detected.
@Suite struct FaultTests {
  static let faults: [(name: String, fault: ExposureFaults)] = [
    ("unequalRefutes", .unequalRefutes), ("uidIsOneKey", .uidIsOneKey), ("sameAboveWrite", .sameAboveWrite),
    ("deleteSkipsAncestors", .deleteSkipsAncestors), ("leafNotMarked", .leafNotMarked),
    ("orderIsOfNumbers", .orderIsOfNumbers), ("perhapsIsBeside", .perhapsIsBeside), ("leafVanishes", .leafVanishes),
    ("sameBesideUpdate", .sameBesideUpdate),
  ]

  @Test(arguments: FaultCase.all.indices)
  func `rules that are easily misjudged get the correct verdict`(index: Int) throws {
    let faultCase = FaultCase.all[index]
    let answer = try faultCase.answer()
    #expect(faultCase.accepts(answer), "\(answer): \(faultCase)")
  }

  @Test(arguments: faults.map(\.name))
  func `a wrong rule of inference is detected`(name: String) throws {
    let fault = try #require(Self.faults.first { $0.name == name }).fault
    let detectingCases = try FaultCase.all.indices.filter {
      try !FaultCase.all[$0].accepts(FaultCase.all[$0].answer(faults: fault))
    }
    #expect(!detectingCases.isEmpty, "no trap notices it")
    guard Torture.isOn else { return }
    var check = BruteForce()
    check.triesPerQuestion = 30
    check.faults = fault
    let found = Torture.forEach("\(name), requests", 0..<200, check.run).filter { !$0.contradictions.isEmpty }.count
    let laws = Torture.forEach("\(name), laws", 0..<400) { LawTests.problems(seed: $0, faults: fault) }.filter {
      !$0.isEmpty
    }.count
    let solved = try (0..<40).filter { try !SMTOracle.check(seed: $0, faults: fault).contradictions.isEmpty }.count
    print(
      "\(name): traps \(detectingCases), requests \(found) of 200 files, laws \(laws) of 400, solver \(solved) of 40")
  }
}
