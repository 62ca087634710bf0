import Foundation
import Testing

/// Checks that the guides of the client library name an existing test for every API name, so that a renamed test leaves
/// no unverified promise.
@Suite struct ClientTablesTests {
  @Test("every test in the tables of API names exists", arguments: ["ClientAccounts", "LegacyClientSDK"])
  func testsAreThere(guide: String) throws {
    let text = try Project.text("Sources/Guide/\(guide).md")
    let named = TestReference.all(in: text)
    #expect(named.count >= 12)
    for reference in named {
      #expect(reference.exists, "Tests/\(reference.file) has no test \"\(reference.name)\"")
    }
  }
}
