import Foundation
import Testing

/// Checks that every line of the guide's security list has a test, and that tests refer to existing lines.
@Suite struct SecurityListTests {
  static let guide = "Sources/Guide/SecurityList.md"

  @Test("every line of the security list has a test or names its deviation")
  func everyLineIsTested() throws {
    let lines = try GuideListItem.all(in: Self.guide)
    #expect(lines.map(\.number) == Array(1...100))
    let tested = try Self.testedNumbers()
    for line in lines where !tested.contains(line.number) {
      #expect(line.text.contains("**Deviation**"), "no test's name begins with \"Security \(line.number):\"")
    }
  }

  @Test("tests name only existing lines of the list")
  func testsNameKnownLines() throws {
    let known = Set(try GuideListItem.all(in: Self.guide).map(\.number))
    for number in try Self.testedNumbers() { #expect(known.contains(number), "Security \(number)") }
  }

  /// Returns the numbers in "Security 12:" and "Security 12, 14:" in all tests' names.
  static func testedNumbers() throws -> Set<Int> {
    let paths = [".swift", ".py"].flatMap { Project.files(below: "Tests", ending: $0) }
    var numbers: Set<Int> = []
    for path in paths where !path.hasSuffix("SecurityListTests.swift") {
      for match in try Project.text(path).matches(of: /Security ([0-9]+(?:, [0-9]+)*):/) {
        let list = match.output.1.split(separator: ",")
        numbers.formUnion(list.compactMap { Int($0.trimmingCharacters(in: .whitespaces)) })
      }
    }
    return numbers
  }
}
