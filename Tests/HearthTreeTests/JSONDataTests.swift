import HearthTree
import Testing

@Suite("Data from JSON") struct JSONDataTests {
  /// Written values, with the export form of the result.
  @Test(
    "JSON becomes a tree",
    arguments: [
      ("null", "null"), ("{}", "null"), ("[]", "null"), ("[null]", "null"), (#"{"a":{"b":{}}}"#, "null"),
      (#"{"a":null,"b":1}"#, #"{"b":1}"#), (#"["x",null,"y"]"#, #"{"0":"x","2":"y"}"#),
      (#"[[1],[null],{"a":[]}]"#, #"{"0":{"0":1}}"#), ("true", "true"), ("0", "0"), (#""""#, #""""#),
      (#"{".value":5}"#, "5"), (#"{".value":5,".priority":null}"#, "5"),
      (#"{".priority":"p",".value":5}"#, #"{".value":5,".priority":"p"}"#),
      (#"{".value":"é\n",".priority":1.5}"#, #"{".value":"é\n",".priority":1.5}"#),
      (#"{".value":false,".priority":0}"#, #"{".value":false,".priority":0}"#),
      (#"{".priority":5}"#, "null"), (#"{".priority":5,"a":null}"#, "null"),
      (#"{".value":null,".priority":5}"#, "null"),
      (#"{".priority":5,"a":1}"#, #"{"a":1,".priority":5}"#), (#"{"a":1,".priority":5}"#, #"{"a":1,".priority":5}"#),
      (#"{"a":{".value":1,".priority":2}}"#, #"{"a":{".value":1,".priority":2}}"#),
      (#"{"\u002evalue":5}"#, "5"), (#"{".value":1,".value":2}"#, "2"),
      (
        #"{".priority":1,".priority":2,".value":0}"#,
        #"{".value":0,".priority":2}"#
      ),
      (#"{"b":1,"10":1,"2":1,"-1":1,"a":1}"#, #"{"-1":1,"2":1,"10":1,"a":1,"b":1}"#),
    ]) func becomesATree(text: String, export: String) throws
  {
    #expect(try JSONSample.export(JSONSample.node(text)) == export)
  }

  @Test(
    "Of a repeated name the last value is used",
    arguments: [
      (#"{"a":1,"a":2}"#, #"{"a":2}"#), (#"{"a":1,"a":null}"#, "null"),
      (#"{"a":{"b":1},"a":{"c":1}}"#, #"{"a":{"c":1}}"#),
      (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#), (#"{"a":1,"b":1,"a":{}}"#, #"{"b":1}"#),
    ]) func takesTheLastOfARepeatedName(text: String, export: String) throws
  {
    #expect(try JSONSample.export(JSONSample.node(text)) == export)
  }

  @Test(
    "JSON without a meaning as data is refused",
    arguments: [
      (#"{".value":5,"a":1}"#, "invalid-metadata"), (#"{"a":1,".value":5}"#, "invalid-metadata"),
      (#"{".value":null,"a":1}"#, "invalid-metadata"), (#"{".value":[]}"#, "invalid-metadata"),
      (#"{".value":{}}"#, "invalid-metadata"), (#"{".value":{"a":1}}"#, "invalid-metadata"),
      (#"{".foo":1}"#, "invalid-metadata"), (#"{".":1}"#, "invalid-metadata"),
      (#"{".sv":1,".value":2}"#, "unknown-server-value"),
      (#"{".sv":"timestamp",".value":2}"#, "invalid-metadata"),
      (#"{".value":2,".sv":"timestamp"}"#, "invalid-metadata"),
      (#"{".sv":"timestamp","a":2}"#, "invalid-metadata"), (#"{"a":2,".sv":"timestamp"}"#, "invalid-metadata"),
      (#"{".priority":true}"#, "invalid-priority"), (#"{".priority":[]}"#, "invalid-priority"),
      (#"{".priority":{}}"#, "invalid-priority"), (#"{".priority":{"a":1}}"#, "invalid-priority"),
      (#"{".sv":"later"}"#, "unknown-server-value"), (#"{".sv":null}"#, "unknown-server-value"),
      (#"{".sv":{}}"#, "unknown-server-value"), (#"{".sv":{"increment":"1"}}"#, "unknown-server-value"),
      (#"{".sv":{"increment":1,"by":2}}"#, "unknown-server-value"),
      (#"{".sv":{"decrement":1}}"#, "unknown-server-value"),
      (#"{"":1}"#, "invalid-key"), (#"{"a.b":1}"#, "invalid-key"), (#"{"a/b":1}"#, "invalid-key"),
      (#"{"$a":1}"#, "invalid-key"),
      (#"{"a#":1}"#, "invalid-key"), (#"{"[":1}"#, "invalid-key"), (#"{"]":1}"#, "invalid-key"),
      (#"{"a\u0000":1}"#, "invalid-key"), (#"{"a\n":1}"#, "invalid-key"), (#"{"\u007f":1}"#, "invalid-key"),
      (#"{"a\u002fb":1}"#, "invalid-key"), (#"{"a.b":null}"#, "invalid-key"), (#"{"x":[{"a.b":1}]}"#, "invalid-key"),
    ]) func isRefusedWhereItMeansNothing(text: String, code: String)
  {
    #expect(JSONSample.error(text)?.code.rawValue == code)
  }

  @Test(
    "Any other key is allowed",
    arguments: ["a b", "é", "e\u{301}", "🐵", "a:b", "a,b", "%", "\\", "'", "{}", "-0", "001", "\u{80}"])
  func mayHaveAnyOtherKey(key: String) throws {
    let node = try JSONSample.read(JSON.object([.init(key, .int(1))]).text()) { try $0.writeValue() }.node
    #expect(node.child(Key(key)).scalar == .int(1))
    #expect(node.childCount == 1)
  }

  @Test("Canonically equivalent keys are kept apart") func keepsKeysApartThatUnicodeCallsEqual() throws {
    let node = try JSONSample.node("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(node.childCount == 2)
    #expect(node.child("\u{E9}").scalar == .int(1))
    #expect(node.child("e\u{301}").scalar == .int(2))
  }

  @Test("NUL is kept in strings") func keepsNULInStrings() throws {
    #expect(try JSONSample.node(#""a\u0000b""#).scalar == .string("a\0b"))
    #expect(try JSONSample.export(JSONSample.node(#""a\u0000b""#)) == #""a\u0000b""#)
  }

  @Test("Keys have up to 768 bytes") func hasKeysUpTo768Bytes() {
    func text(_ size: Int) -> String { "{\"\(String(repeating: "é", count: size / 2))\(size % 2 == 1 ? "k" : "")\":1}" }
    #expect(JSONSample.error(text(767)) == nil)
    #expect(JSONSample.error(text(768)) == nil)
    #expect(JSONSample.error(text(769))?.code == .invalidKey)
  }

  @Test("A leaf has at most 32 keys above it") func hasAtMost32KeysAboveALeaf() throws {
    func text(_ depth: Int, _ leaf: String = "1") -> String {
      String(repeating: #"{"a":"#, count: depth) + leaf + String(repeating: "}", count: depth)
    }
    #expect(try JSONSample.write(text(31)).depth == 31)
    #expect(try JSONSample.write(text(32)).depth == 32)
    #expect(JSONSample.error(text(33))?.code == .tooDeep)
    #expect(try JSONSample.write(text(32, #"{".value":{".sv":{"increment":1}},".priority":1}"#)).depth == 32)
    #expect(JSONSample.error(String(repeating: "[", count: 100_000))?.code == .tooDeep)
    // The limit is counted from the root.
    for (above, below, isAllowed) in [(0, 32, true), (31, 1, true), (32, 0, true), (32, 1, false), (20, 13, false)] {
      let error = JSONSample.error(Array(text(below).utf8)) { _ = try $0.writeValue(below: above) }
      #expect((error == nil) == isAllowed)
    }
    #expect(try JSONSample.write(#"{"a":1,"b":{"c":[1]}}"#).depth == 3)
    #expect(try JSONSample.write("null").depth == 0)
  }

  @Test("Strings have up to their limit of bytes, counted without escapes")
  func hasStringsUpToTheirLimitCountedWithoutEscapes() {
    var limits = JSONLimits.standard
    limits.stringSizeBytesMax = 8
    func error(_ text: String) -> JSONError.Code? {
      JSONSample.error(Array(text.utf8), limits: limits) { _ = try $0.writeValue() }?.code
    }
    #expect(error(#""12345678""#) == nil)
    #expect(error(#""123456789""#) == .stringTooLong)
    #expect(error(#""\u0031\u0032\u0033\u0034\u0035\u0036\u0037\u0038""#) == nil)
    #expect(error(#""\ud83d\udc35\ud83d\udc35""#) == nil)
    #expect(error(#""\ud83d\udc35\ud83d\udc35x""#) == .stringTooLong)
    #expect(error(#""\u00e9\u00e9\u00e9\u20ac""#) == .stringTooLong)
    #expect(error(#"{".value":"123456789"}"#) == .stringTooLong)
    #expect(error(#"{".value":1,".priority":"123456789"}"#) == .stringTooLong)
    #expect(DataLimits.stringSizeBytesMax == 10_485_760)
  }

  @Test("A priority alone is a number, a string, null or a server value")
  func aPriorityAloneIsANumberAStringNullOrAServerValue() throws {
    func priority(_ text: String) throws -> WriteValue { try JSONSample.read(text) { try $0.priorityValue() } }
    #expect(try priority("1.5").node.scalar == .double(1.5))
    #expect(try priority(#""x""#).node.scalar == .string("x"))
    #expect(try priority("null").node.isEmpty)
    #expect(try priority(#"{".sv":"timestamp"}"#).resolved(existing: .empty, nowMilliseconds: 7).scalar == .int(7))
    for text in ["true", "[]", "{}", #"{"a":1}"#] {
      #expect(JSONSample.error(Array(text.utf8)) { _ = try $0.priorityValue() }?.code == .invalidPriority)
    }
  }
}
