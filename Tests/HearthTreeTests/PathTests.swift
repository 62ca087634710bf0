import HearthTree
import Testing

@Suite("Paths of requests") struct PathTests {
  @Test(
    "A path addresses a location",
    arguments: [
      ("", "/"), ("/", "/"), ("a", "/a"), ("/a", "/a"), ("//a///b/", "/a/b"), ("a/.priority", "/a/.priority"),
      (".priority", "/.priority"), ("/.priority/", "/.priority"), ("a b/é/🐵", "/a b/é/🐵"), ("%2F", "/%2F"),
      ("a+b", "/a+b"),
    ]) func addressAPlace(text: String, place: String) throws
  {
    #expect(try Location(wire: text).description == place)
  }

  @Test(
    "Paths have no forbidden characters",
    arguments: [
      "a.b", ".info", ".info/connected", "a/.value", "a/$b", "#", "a[0]", "]", "\u{0}", "a/\u{1F}", "\u{7F}", "a\nb",
      ".priority/a", "a/.priority/.priority", ".Priority",
    ]) func haveNoForbiddenCharacters(text: String)
  {
    #expect(throws: PathError(.forbiddenCharacter)) { try Location(wire: text) }
  }

  @Test("A path is described in the clients' form") func sayTheOneTextThatClientsKnow() {
    #expect(PathError.text == "Invalid token in path")
  }

  @Test("Keys have up to 768 bytes, and paths may be longer") func haveKeysUpTo768BytesAndMayBeLongerThemselves()
    throws
  {
    let key = String(repeating: "é", count: 384)
    #expect(try Location(wire: "\(key)/\(key)").path.count == 2)
    #expect(throws: PathError(.keyTooLong)) { try Location(wire: key + "k") }
  }

  @Test("Paths have up to 32 keys, not counting the priority") func haveUpTo32KeysThePriorityNotCounted() throws {
    let path = Array(repeating: "k", count: 32).joined(separator: "/")
    #expect(try Location(wire: path).path.count == 32)
    #expect(try Location(wire: path + "/.priority").isPriority)
    #expect(throws: PathError(.tooDeep)) { try Location(wire: path + "/k") }
  }

  @Test("Paths may be made from parts, in which a slash is no separator")
  func mayBeGivenInPartsWhereASlashIsNoSeparator() throws {
    #expect(try Location(segments: ["a", "", "b", ".priority"]).description == "/a/b/.priority")
    #expect(throws: PathError(.forbiddenCharacter)) { try Location(segments: ["a/b"]) }
  }

  @Test("Canonically equivalent keys are different keys") func keepWhatUnicodeCallsEqualApart() throws {
    #expect(try Location(wire: "\u{E9}") != Location(wire: "e\u{301}"))
  }

  @Test(
    "Paths consist of valid keys",
    arguments: [("", PathError.Code.emptyKey), ("a.", .forbiddenCharacter), ("a", nil), ("\u{80}", nil)])
  func areMadeOfKeysThatCanExist(key: String, problem: PathError.Code?) {
    #expect(Key(key).problem == problem)
  }

  @Test("Paths are read directly from JSON") func areReadFromJSONInPlace() throws {
    #expect(try JSONSample.read(#""a\/\u0062/.priority""#) { try $0.location() }.description == "/a/b/.priority")
    let error = JSONSample.error(Array(#""a.b""#.utf8)) { _ = try $0.location() }
    #expect(error?.code == .invalidPath)
    #expect(error?.message == PathError.text)
    #expect(JSONSample.error(Array("5".utf8)) { _ = try $0.location() }?.code == .wrongKind)
  }
}
