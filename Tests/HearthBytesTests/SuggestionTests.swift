import Testing

@testable import HearthBytes

@Suite struct SuggestionTests {
  private let commands = ["serve", "dev", "exec", "db", "databases", "users", "tenants", "token", "rules"]

  @Test(
    "close words are suggested",
    arguments: [("usres", "users"), ("user", "users"), ("srve", "serve"), ("Rules", "rules"), ("tokn", "token")])
  func suggests(word: String, known: String) {
    #expect(Suggestion.nearest(word, among: commands) == known)
  }

  @Test(arguments: ["kubernetes", "x", "status"]) func `other words are not`(word: String) {
    #expect(Suggestion.nearest(word, among: commands) == nil)
    #expect(Suggestion.sentence(word, among: commands).isEmpty)
  }

  @Test func `an exchange of neighbours is one mistake`() {
    #expect(Suggestion.distance("abcd", "acbd") == 1)
    #expect(Suggestion.distance("", "abc") == 3)
  }
}
