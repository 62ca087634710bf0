import Foundation
import HearthTree
import Testing

@testable import HearthAccounts
@testable import HearthCrypto

/// Tests that the operator's guide describes the configuration: every member, its default, and a valid file.
@Suite struct GuideTests {
  private static let guides = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/Guide")

  private static let standard = AccountsConfiguration(projectID: "hearth", publicURL: "http://localhost:9000")

  @Test("the guide's table has every member with its default, and no other")
  func table() throws {
    let text = try String(contentsOf: Self.guides.appending(path: "AccountsConfiguration.md"), encoding: .utf8)
    let rows = text.matches(of: /(?m)^\| `([A-Za-z.]+)` \| `([^`]*)` \|/).map { match in
      (String(match.output.1), String(match.output.2))
    }
    let told = Dictionary(rows, uniquingKeysWith: { first, _ in first })
    #expect(told.count == rows.count, "a member is there twice")
    #expect(told == Self.members(of: Self.standard))
  }

  @Test("the guide's example file is valid as it stands, and has values other than the defaults")
  func example() throws {
    let text = try String(contentsOf: Self.guides.appending(path: "RunningAccounts.md"), encoding: .utf8)
    let example = try #require(text.firstMatch(of: /(?s)```json\n(.*?)```/)).output.1
    let settings = try AccountsConfiguration.parse(Array(example.utf8), over: Self.standard)
    #expect(Set(try #require(settings.signIn).map(\.name)) == ["customToken", "anonymous", "password", "oauth"])
    #expect(settings.mail.mailer?.name == "smtp")
    #expect(!settings.trustedProxies.isEmpty)
    #expect(settings.publicURL != Self.standard.publicURL)
    #expect(settings.passwordPolicy != Self.standard.passwordPolicy)
  }

  /// Returns each member's path in the file, with its default as JSON.
  private static func members(of configuration: AccountsConfiguration) -> [String: String] {
    var members: [String: String] = [:]
    func add(_ value: Any, at place: String) {
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .struct, !(value is PasswordCost), !(value is String) {
        for child in mirror.children { add(child.value, at: place + "." + (child.label ?? "")) }
      } else {
        members[place] = Self.text(value)
      }
    }
    for child in Mirror(reflecting: configuration).children { add(child.value, at: child.label ?? "") }
    // Members that cannot be set in the file, and members that plugins' own guides describe.
    for place in ["isEmulator", "consoleClaim", "signIn", "mail.mailer", "phone.sender"] { members[place] = nil }
    return members
  }

  private static func text(_ value: Any) -> String {
    switch value {
    // An empty array casts to arrays of every type.
    case _ where type(of: value) == [SecondFactorSettings.RequiredClaim].self: "{}"
    case let cost as PasswordCost: cost == .standard ? "\"standard\"" : "another"
    case let text as String: "\"\(text)\""
    case let texts as [String]: "[\(texts.map { "\"\($0)\"" }.joined(separator: ", "))]"
    case let texts as [String: String] where texts.isEmpty: "{}"
    case let texts as Set<String>: text(texts.sorted())
    case let policy as SecondFactorSettings.Policy: "\"\(policy.rawValue)\""
    default:
      if Mirror(reflecting: value).displayStyle == .optional, Mirror(reflecting: value).children.isEmpty {
        "null"
      } else {
        "\(value)"
      }
    }
  }
}
