import Foundation
import Testing

/// Checks that the guide of error texts quotes texts that the product prints.
///
/// In the first column of its tables, `…` stands for a variable part, and for the end of a literal in the sources. The
/// texts of Firebase's SDKs are theirs and are not checked.
@Suite struct TroubleshootingTests {
  /// Sections whose texts come from other programs.
  private static let foreignSections: Set = ["Database SDKs"]

  /// The fixed parts of the quoted texts, with their row.
  private static func quotes() throws -> [(fragment: String, row: String)] {
    let sections = try Project.text("Sources/Guide/Troubleshooting.md").components(separatedBy: "\n## ").dropFirst()
    var quotes: [(fragment: String, row: String)] = []
    for section in sections where !foreignSections.contains(String(section.prefix { $0 != "\n" })) {
      for row in section.split(separator: "\n") where row.hasPrefix("| `") {
        let cell = row.dropFirst(2).split(separator: " | ").first ?? ""
        for text in cell.matches(of: /`([^`]+)`/).map(\.output.1) where !text.hasPrefix("auth/") {
          for fragment in text.split(separator: "…").map({ $0.trimmingCharacters(in: .whitespaces) })
          where fragment.contains(where: \.isLetter) {
            quotes.append((fragment, String(row)))
          }
        }
      }
    }
    return quotes
  }

  @Test("each quoted text is in the sources")
  func textsAreInTheSources() throws {
    let quotes = try Self.quotes()
    #expect(quotes.count > 70)
    var sources = Data()
    for path in Project.files(below: "Sources", ending: ".swift") {
      sources.append(try Data(contentsOf: Project.root.appending(path: path)))
    }
    for quote in quotes {
      let literals = [quote.fragment, quote.fragment.replacing("\"", with: "\\\"")]
      #expect(literals.contains { sources.range(of: Data($0.utf8)) != nil }, "\(quote.fragment): \(quote.row)")
    }
  }
}
