import Foundation

/// A reference to a test in a guide: `HearthServerTests/EntryPointTests` "name of a test".
struct TestReference {
  /// The path below `Tests` without its ending: a file of Swift or Python, or of conversations.
  var file: String
  /// The display name, the function's name, or the conversation's title without its source.
  var name: String

  var exists: Bool {
    let swift = text("swift").replacing(/@Test\(\s+/, with: "@Test(")
    return swift.contains("@Test(\"\(name)\"") || swift.contains("@Test func \(name)(")
      || swift.contains("func `\(name)`(") || text("py").contains("\ndef \(name)(")
      || text("txt").contains("\n= \(name) (")
  }

  private func text(_ ending: String) -> String { (try? Project.text("Tests/\(file).\(ending)")) ?? "" }

  /// Returns the references in a text with single spaces between words.
  static func all(in text: String) -> [TestReference] {
    text.matches(of: /`([A-Za-z]+(?:\/[A-Za-z_]+)+)` "([^"]+)"/).map { match in
      TestReference(file: String(match.output.1), name: String(match.output.2))
    }
  }
}
