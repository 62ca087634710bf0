import Foundation
import Testing

/// Checks that the guides' lists of mistakes name the tests that prevent them, so that a renamed or removed test leaves
/// no unverified promise.
@Suite struct MistakesTests {
  /// A list and the number of its mistakes.
  struct Guide: Sendable, CustomTestStringConvertible {
    var path: String
    var count: Int
    var testDescription: String { path }
  }

  static let guides = [
    Guide(path: "Sources/Guide/AccountMistakes.md", count: 48),
    Guide(path: "Sources/Guide/SocketMistakes.md", count: 28),
    Guide(path: "Sources/Guide/RESTMistakes.md", count: 37),
  ]

  @Test("every mistake names a test that exists, or says that it is prevented by design", arguments: guides)
  func everyMistakeIsTested(guide: Guide) throws {
    let lines = try GuideListItem.all(in: guide.path)
    #expect(lines.map(\.number) == Array(1...guide.count))
    for line in lines {
      let named = TestReference.all(in: line.text)
      #expect(!named.isEmpty || line.text.contains("By design"), "\(line.number) names no test")
      for reference in named {
        #expect(reference.exists, "\(line.number): Tests/\(reference.file) has no test \"\(reference.name)\"")
      }
    }
  }

  @Test("a reference in another form is reported", arguments: guides)
  func everyReferenceIsRead(guide: Guide) throws {
    for line in try GuideListItem.all(in: guide.path) {
      let files = line.text.matches(of: /`[A-Za-z]+(\/[A-Za-z_]+)+`/).count
      #expect(TestReference.all(in: line.text).count == files, "\(line.number) names a file without a test")
    }
  }

  @Test("a missing test of any kind is reported")
  func missingTestsAreMissed() {
    for file in [
      "ProjectTests/MistakesTests", "Acceptance/test_readme", "HearthServerTests/Scenarios/Data/control",
      "HearthGatewayTests/StreamTextTests", "ProjectTests/NoSuchFile",
    ] {
      #expect(!TestReference(file: file, name: "no test has this name").exists, "\(file)")
    }
  }
}
