import Testing

@testable import HearthExposure

@Suite struct LanguageTests {
  @Test func `a language is its number`() {
    #expect(Language(index: 1) == Language(index: 1))
  }
}
