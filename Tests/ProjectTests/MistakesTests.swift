import Foundation
import Testing

/// The guide's list of mistakes names the tests that keep the server from them. A test that is renamed or removed must
/// not leave a promise behind.
@Suite struct MistakesTests {
  static let guide = "Sources/HearthAccounts/HearthAccounts.docc/Mistakes.md"

  @Test("every mistake names a test that exists, or says that it is prevented by design")
  func everyMistakeIsHeld() throws {
    let lines = try NumberedLine.all(in: Self.guide)
    #expect(lines.map(\.number) == Array(1...48))
    for line in lines {
      let named = try Self.references(in: line.text)
      #expect(!named.isEmpty || line.text.contains("By design"), "\(line.number) names no test")
      for reference in named {
        #expect(reference.exists, "\(line.number): Tests/\(reference.file) has no test \"\(reference.name)\"")
      }
    }
  }

  @Test("a reference that is written differently is not passed over")
  func everyReferenceIsRead() throws {
    for line in try NumberedLine.all(in: Self.guide) {
      let files = line.text.matches(of: /`[A-Za-z]+(\/[A-Za-z_]+)+`/).count
      #expect(try Self.references(in: line.text).count == files, "\(line.number) names a file without a test")
    }
  }

  /// A test as the guide names it.
  struct Reference {
    /// Below `Tests`, without its ending.
    var file: String
    /// The display name, or the function's.
    var name: String

    var exists: Bool {
      let swift = ((try? Project.text("Tests/\(file).swift")) ?? "").replacing(/@Test\(\s+/, with: "@Test(")
      let python = (try? Project.text("Tests/\(file).py")) ?? ""
      return swift.contains("@Test(\"\(name)\"") || swift.contains("@Test func \(name)(")
        || python.contains("\ndef \(name)(")
    }
  }

  /// `HearthServerTests/DoorTests` "name of a test"
  static func references(in text: String) throws -> [Reference] {
    text.matches(of: /`([A-Za-z]+(?:\/[A-Za-z_]+)+)` "([^"]+)"/).map { match in
      Reference(file: String(match.output.1), name: String(match.output.2))
    }
  }
}
