import HearthMigration
import HearthTree
import Testing

@Suite struct ExportCheckTests {
  /// Checks a text that arrives in pieces of this many bytes.
  private func check(
    _ text: String, pieceBytes: Int = .max, limits: JSONLimits = .standard
  ) throws(JSONError) -> ExportCheck {
    var check = ExportCheck(file: "export.json", limits: limits)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try check.append(rest.prefix(pieceBytes))
      rest = rest.dropFirst(pieceBytes)
    }
    try check.finish()
    return check
  }

  private func lines(_ text: String) throws -> [String] { try check(text).findings.kept.map(\.line) }

  @Test("an export of Firebase has no differences")
  func clean() throws {
    let text = """
      {
        "rooms": {"r1": {".priority": 5, "title": {".value": "Lobby", ".priority": "a"}, "list": [null, 1, true]}},
        "größe": -1.5e10, "a b": "x\\u00e9", "big": 9223372036854775807
      }
      """
    let seen = try check(text)
    #expect(seen.findings.kept.isEmpty)
    #expect(seen.figures.leafCount == 6)
    #expect(seen.figures.sizeBytes == text.utf8.count)
    #expect(seen.figures.depth == 4)
  }

  @Test(
    "unstorable values are reported with their place",
    arguments: [
      (#"{"a.b":1}"#, "export.json:1:2: /a.b: refused: a key must not contain . $ # [ ] / or control characters"),
      (#"{"x":{"":1}}"#, "export.json:1:7: /x/: refused: a key cannot be empty"),
      (
        #"{"a\/b":{"c":1}}"#, "export.json:1:2: /a/b: refused: a key must not contain . $ # [ ] / or control characters"
      ),
      (#"{".odd":1}"#, "export.json:1:2: /.odd: refused: unknown name that begins with a dot"),
      (#"{"a":{".value":1,"b":2}}"#, "export.json:1:18: /a/b: refused: a path has a value or children, not both"),
      (
        #"{"a":{"b":2,".value":1}}"#,
        "export.json:1:13: /a/.value: refused: a path has a value or children, not both"
      ),
      (
        #"{"a":{"b":1,".priority":true}}"#,
        "export.json:1:25: /a/.priority: refused: a priority must be a number or a string"
      ),
      (#"{"a":{".value":[1]}}"#, "export.json:1:16: /a/.value: refused: .value must not be an object or an array"),
    ])
  func refused(text: String, line: String) throws { #expect(try lines(text) == [line]) }

  @Test(
    "changed values are reported with their place",
    arguments: [
      (
        #"{"a":12345678901234567890}"#,
        "export.json:1:6: /a: different: a whole number of more than 64 bits is kept as the nearest floating-point number"
      ),
      (#"{"a":1,"a":2}"#, "export.json:1:8: /a: different: the name appears twice; only the last value is kept"),
      (
        #"{"a":{".sv":"timestamp"}}"#,
        "export.json:1:13: /a/.sv: different: the server fills in this value at the time of the import"
      ),
      (#"{"a":null}"#, "export.json:1:6: /a: note: null is not stored"),
      (#"{"a":{}}"#, "export.json:1:7: /a: note: an empty object is not stored"),
      (#"[]"#, "export.json:1:2: /: note: an empty array is not stored"),
    ])
  func different(text: String, line: String) throws { #expect(try lines(text) == [line]) }

  @Test("checking continues after an error, and reports none inside a refused part")
  func goesOn() throws {
    #expect(
      try lines(#"{"a.b":{"c.d":1},"e":{"f#":1},"g":1}"#).map { $0.split(separator: ":")[3] } == [" /a.b", " /e/f#"])
  }

  @Test("key depth is counted from the root: the 32nd level is the last")
  func depth() throws {
    func nested(_ count: Int) -> String {
      String(repeating: #"{"k":"#, count: count) + "1" + String(repeating: "}", count: count)
    }
    #expect(try check(nested(32)).findings.kept.isEmpty)
    #expect(try check(nested(32)).figures.depth == 32)
    let findings = try check(nested(40)).findings
    #expect(findings.count(.refused) == 1)
    #expect(findings.kept.first?.text == "more than 32 keys from the root")
  }

  @Test("long keys and texts are refused by their bytes, and their escapes are not counted")
  func long() throws {
    let key = String(repeating: "k", count: 768)
    #expect(try lines(#"{"\#(key)":1}"#).isEmpty)
    #expect(try lines(#"{"\#(key)k":1}"#).first?.hasSuffix("refused: a key of 769 bytes; the maximum is 768") == true)
    var limits = JSONLimits()
    limits.stringSizeBytesMax = 20
    let text = String(repeating: "t", count: 20)
    #expect(try check(#"{"a":"\#(text)"}"#, limits: limits).findings.kept.isEmpty)
    #expect(
      try check(#"{"a":"\#(text)t"}"#, limits: limits).findings.kept.first?.text
        == "a string of about 21 bytes; the maximum is 20")
    let escaped = String(repeating: "\\u0041", count: 20)
    #expect(try check(#"{"a":"\#(escaped)"}"#, limits: limits).findings.kept.isEmpty)
  }

  @Test("of a file full of errors the first thousand of each kind are kept, and all are counted")
  func bounded() throws {
    let members = (0..<3_000).map { #""k\#($0).":1"# }.joined(separator: ",")
    let findings = try check("{\(members)}").findings
    #expect(findings.count(.refused) == 3_000)
    #expect(findings.kept.count == MigrationFindings.keptMax)
    #expect(findings.omittedCount == 2_000)
  }

  @Test("text that is not JSON ends the check, with its place")
  func broken() throws {
    var broken = ExportCheck(file: "export.json")
    do throws(JSONError) {
      try broken.append(Array("{\"a\":1,\n  \"b\" 2}".utf8))
      try broken.finish()
      Issue.record("it was read to its end")
    } catch {
      #expect(broken.place(of: error) == "export.json:2:7")
    }
  }

  @Test("the result does not depend on the size of the pieces")
  func pieces() throws {
    let text = """
      {"a":{"b.":1,"c":[null,{"d":{".value":"x\\n","e":2}},1e400],"f":{}},"größe":[1,2,{"g":null}],"a":1}
      """.replacing("1e400", with: "1e300")
    let whole = try check(text)
    #expect(whole.findings.kept.count == 5)
    for size in [1, 2, 3, 7, 64] {
      let cut = try check(text, pieceBytes: size)
      #expect(cut.findings.kept == whole.findings.kept)
      #expect(cut.figures == whole.figures)
    }
  }
}
