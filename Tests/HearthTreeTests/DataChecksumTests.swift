import Testing

@testable import HearthTree

@Suite("The checksum of data") struct DataChecksumTests {
  private func checksum(_ parts: (json: String, path: String)...) throws -> DataChecksum {
    var checksum = DataChecksum()
    for part in parts { checksum.add(try JSONSample.node(part.json), at: try Location(wire: part.path)) }
    return checksum
  }

  @Test("The checksum of a value is the sum of those of its parts, in any order") func partsAddUp() throws {
    let long = String(repeating: "long ", count: 2_000)
    let whole = try checksum((#"{"a":{"x":1,"y":"\#(long)","é":true},"b":[2.5,{"c":"d"}]}"#, "/"))
    #expect(whole.count == 5)
    #expect(try checksum((#"[2.5,{"c":"d"}]"#, "/b"), (#"{"é":true,"y":"\#(long)","x":1}"#, "/a")) == whole)
    let leaves = try checksum(
      ("1", "/a/x"), ("2.5", "/b/0"), (#""d""#, "/b/1/c"), ("\"\(long)\"", "/a/y"), ("true", "/a/é"))
    #expect(leaves == whole)
  }

  @Test("A large value has the checksum of its children") func largeValuesAddUp() throws {
    let members = (0..<5_000).map { #""k\#($0)":{"n":\#($0)}"# }
    let whole = try checksum(("{\(members.joined(separator: ","))}", "/list"))
    var sum = DataChecksum()
    for i in (0..<5_000).reversed() { sum.add(try checksum((String(i), "/list/k\(i)/n"))) }
    #expect(sum == whole)
  }

  @Test("A priority counts where it is, also when it is added alone") func prioritiesCount() throws {
    let whole = try checksum((#"{".priority":7,"a":{".value":1,".priority":"p"}}"#, "/r"))
    #expect(whole.count == 3)
    #expect(try checksum((#"{"a":1}"#, "/r"), ("\"p\"", "/r/a/.priority"), ("7", "/r/.priority")) == whole)
    #expect(try checksum((#"{"a":{".value":1,".priority":"q"},".priority":7}"#, "/r")) != whole)
  }

  @Test(
    "Other values and other places have another checksum",
    arguments: [#"{"a":2}"#, #"{"a":"1"}"#, #"{"a":true}"#, #"{"a":1.5}"#, #"{"b":1}"#, #"{"a":{"a":1}}"#, "1", "null"])
  func differencesShow(json: String) throws {
    let (other, original) = (try checksum((json, "/")), try checksum((#"{"a":1}"#, "/")))
    #expect(other.sum != original.sum)
  }

  @Test(
    "A text has the checksum of the data that it is read as",
    arguments: [
      "null", "1", #""a\u00e9\n😀""#, "[]", "{}", #"[1,null,"x",[true]]"#, #"{"a":{"b":{}},"c":[null,[]]}"#,
      #"{"a":1.0,"b":-0,"c":1e3,"d":12345678901234567890,"k\u0041":0.1}"#, #"{".value":5,".priority":"p"}"#,
      #"{".priority":1.5,"a":{".priority":null,".value":"x"},"b":{".priority":2},"c":{".value":null,".priority":3}}"#,
    ])
  func textsHaveTheChecksumOfTheirData(json: String) throws {
    var ofText = DataChecksum()
    #expect(try JSONSample.read(json) { try ofText.add(&$0, at: Location(path: Path("a/b"))) })
    #expect(try checksum((json, "/a/b")) == ofText)
  }

  @Test("An update has the checksum of the data that it writes") func updatesHaveTheChecksumOfTheirData() throws {
    var ofText = DataChecksum()
    let update = #"{"x/y":{"n":[1,2]},"z":"t","x/.priority":7,"w/.priority":null,"v":null}"#
    #expect(try JSONSample.read(update) { try ofText.add(update: &$0, at: Path("a")) })
    #expect(try checksum((#"{"x":{"y":{"n":[1,2]},".priority":7},"z":"t"}"#, "/a")) == ofText)
  }

  @Test(
    "A value that the server computes has no checksum",
    arguments: [
      #"{".sv":"timestamp"}"#, #"{"a":{".value":{".sv":"timestamp"}}}"#, #"[{".priority":{".sv":"timestamp"}}]"#,
    ])
  func serverValuesHaveNone(json: String) {
    var (ofText, isKnown) = (DataChecksum(), true)
    // The rest of the text is not read.
    _ = try? JSONSample.read(json) { isKnown = try ofText.add(&$0, at: Location(path: .root)) }
    #expect(!isKnown)
  }

  @Test("The text has sixteen digits, and stays the same between versions") func textIsStable() throws {
    #expect(try checksum(("null", "/")).description == "0000000000000000")
    #expect(try checksum((#"{"a":{"b":"c","d":1}}"#, "/")).description == "ecc0bec7fe4f8926")
  }
}
