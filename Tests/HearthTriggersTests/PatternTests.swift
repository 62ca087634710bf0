import HearthTree
import HearthTriggers
import Testing

@Suite struct PatternTests {
  @Test(
    "patterns match key by key",
    arguments: [
      ("/rooms/{room}/messages/{m}", "rooms/r/messages/1", true), ("/rooms/{room}", "rooms/r/messages", false),
      ("rooms/{room}/", "rooms/r", true), ("/rooms/{room}", "Rooms/r", false), ("/", "", true), ("/", "a", false),
      ("a/{rest=**}/z", "a/z", true), ("a/{rest=**}/z", "a/b/c/z", true), ("a/{rest=**}/z", "a/b/c", false),
      ("a/**/z/{k}", "a/z/z/k", true), ("rooms/*/x", "rooms/any/x", true), ("u/abc-*", "u/abc-1", true),
      ("u/abc-*", "u/ab", false), ("u/a*a", "u/a", false), ("u/a*a", "u/aa", true), ("{k=*}", "é", true),
      ("k/é", "k/e\u{301}", false), ("k/100%", "k/100%", true), ("{k}", "😀", true),
    ])
  func matching(pattern: String, path: String, isMatch: Bool) throws {
    #expect(try TriggerPattern(pattern).matches(Path(path)) == isMatch)
  }

  @Test(
    "parameters hold the matched keys",
    arguments: [
      ("/rooms/{room}/messages/{m}", "rooms/é/messages/m1", "room=é m=m1"),
      ("rooms/*/messages/{m}", "rooms/r/messages/x", "m=x"),
      ("a/{rest=**}/z", "a/z", "rest="), ("a/{rest=**}/z", "a/b/c/z", "rest=b/c"),
      ("a/{rest=**}/{k}/z", "a/1/2/3/z", "rest=1/2 k=3"),
      ("/", "", ""),
    ])
  func parameters(pattern: String, path: String, expected: String) throws {
    let found = try #require(try TriggerPattern(pattern).parameters(of: Path(path)))
    #expect(found.map { "\($0.name)=\($0.value)" }.joined(separator: " ") == expected)
  }

  @Test(
    "patterns that functions would interpret differently are refused",
    arguments: [
      "{a}-{b}", "pre-{x}", "a/**/b/{c=**}/d", "a//b", "{a}/{a}", "a.b", "a/$b", "a#", "a/[b]", "a/**", "{rest=**}",
      "{}", "{a=b}", "{a b}", "a*b*c", "a/\u{7}", String(repeating: "a/", count: 33),
      String(repeating: "x", count: 5_000),
    ])
  func refusal(pattern: String) {
    #expect(throws: TriggerProblem.self) { try TriggerPattern(pattern) }
  }

  @Test("first-generation triggers support only keys and {name}")
  func plainness() throws {
    #expect(try TriggerPattern("/a/{b}").isPlain)
    for pattern in ["a/*", "a/**/b", "{c=**}/d", "a-*"] { #expect(try !TriggerPattern(pattern).isPlain) }
  }

  @Test("the deepest path and the longest key match")
  func extremes() throws {
    let deep = Path(Array(repeating: Key("k"), count: 32))
    #expect(
      try TriggerPattern(Array(repeating: "{a}", count: 1).joined()).matches(
        Path([Key(String(repeating: "k", count: 768))])))
    #expect(try TriggerPattern((0..<32).map { "{p\($0)}" }.joined(separator: "/")).matches(deep))
    #expect(try TriggerPattern("{a=**}/k").matches(deep))
  }

  @Test(
    "databases are named exactly, or by a pattern",
    arguments: [
      ("*", "demo", true), ("demo-*", "demo-app", true), ("demo-*", "demo", false), ("demo", "demo", true),
      ("demo", "demos", false),
    ])
  func databases(pattern: String, name: String, isMatch: Bool) throws {
    #expect(try DatabasePattern(pattern).matches(name) == isMatch)
  }

  @Test(
    "other patterns of databases are refused",
    arguments: ["", "a*b*", "A", "a/b", "{x}", String(repeating: "a", count: 64)])
  func databaseRefusal(pattern: String) {
    #expect(throws: TriggerProblem.self) { try DatabasePattern(pattern) }
  }
}
