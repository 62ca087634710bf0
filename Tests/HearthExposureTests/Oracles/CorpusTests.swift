import Foundation
import HearthRules
import Testing

@testable import HearthExposure

/// Tests with rules files of many kinds of apps: the verdicts are stored in a file, and reviewed when they change.
@Suite struct CorpusTests {
  /// A time after the end date of the test mode rules, so that they are closed.
  private static let nowMilliseconds: Int64 = 1_790_000_000_000

  @Test func `the verdicts on typical rules files agree with the reviewed ones`() throws {
    let folder = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
    let golden = try String(contentsOf: folder.appending(path: "verdicts.txt"), encoding: .utf8)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "Rules").path)
      .filter { $0.hasSuffix(".json") }.sorted()
    #expect(names.count >= 30)
    let lines = try names.map { name in
      let file = try String(contentsOf: folder.appending(path: "Rules/\(name)"), encoding: .utf8)
      return try Self.line(String(name.dropLast(5)), file)
    }
    let known = golden.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(lines == known, "What is there now: \(lines.joined(separator: "\n"))")
  }

  private static func line(_ name: String, _ file: String) throws -> String {
    let rules = try RuleSet.compile(file, keepsExpressions: true)
    var counts: [String: Int] = [:]
    for entry in Exposure(of: rules, nowMilliseconds: nowMilliseconds).entries() {
      counts[entry.verdict.name, default: 0] += 1
      guard case .open(let witness, _) = entry.verdict else { continue }
      #expect(Attempt(witness).isAllowed(by: rules), "\(name): \(Attempt(witness))")
      let stranger = WitnessCheck.problem(witness.auth, entry.question.identity, at: witness.path, [])
      #expect(stranger == nil, "\(name), \(entry.question.identity.name): \(Attempt(witness))")
    }
    let text = ["closed", "open", "undecided"].map { "\($0) \(counts[$0] ?? 0)" }
    return "\(name): \(text.joined(separator: ", "))"
  }
}
