import HearthTree
import Testing

@Suite("JSON from data") struct JSONWriterTests {
  @Test(
    "The plain form has arrays and no priorities",
    arguments: [
      ("null", "null"), (#"{"0":"a","1":"b"}"#, #"["a","b"]"#), (#"{"1":1}"#, "[null,1]"), (#"{"2":1}"#, #"{"2":1}"#),
      (#"{"0":1,"2":2}"#, "[1,null,2]"), (#"{"01":1}"#, #"{"01":1}"#), (#"{"0":1,"-0":1}"#, #"{"0":1,"-0":1}"#),
      (#"{"-1":1,"0":1,"1":1}"#, #"{"-1":1,"0":1,"1":1}"#), (#"{"0":1,"a":1}"#, #"{"0":1,"a":1}"#),
      (#"{"0":1,"00":1,"1":1}"#, #"{"0":1,"00":1,"1":1}"#), (#"{"3":1,"4":1}"#, #"{"3":1,"4":1}"#),
      (#"{"2":1,"3":1}"#, "[null,null,1,1]"), (#"{"4294967296":1}"#, #"{"4294967296":1}"#),
      (#"{"a":{"0":{"0":1}}}"#, #"{"a":[[1]]}"#), (#"{"a":1,".priority":5}"#, #"{"a":1}"#),
      (#"{"a":{".value":1,".priority":2}}"#, #"{"a":1}"#),
    ]) func isPlainWithArraysAndWithoutPriorities(text: String, plain: String) throws
  {
    #expect(try JSONSample.plain(JSONSample.node(text)) == plain)
  }

  @Test(
    "The export form has everything",
    arguments: [
      #"{"0":"a","1":"b"}"#, #"{"a":{"b":1,".priority":"x"},".priority":0}"#, #"{".value":"v",".priority":"p"}"#,
      #""\"\\\b\f\n\r\t\u0001\u001f/é🐵""#, #"{"a\\b":1}"#, "true", "-5", "null", "1.25",
    ]) func isExportedWithEverything(text: String) throws
  {
    #expect(try JSONSample.export(JSONSample.node(text)) == text)
  }

  @Test("The output is indented on request") func isPrettyWhenAskedToBe() throws {
    let node = try JSONSample.node(#"{"a":[1,{"b":true}],"c":{".value":"x",".priority":1},".priority":2}"#)
    let plain = """
      {
        "a": [
          1,
          {
            "b": true
          }
        ],
        "c": "x"
      }
      """
    let export = """
      {
        "a": {
          "0": 1,
          "1": {
            "b": true
          }
        },
        "c": {
          ".value": "x",
          ".priority": 1
        },
        ".priority": 2
      }
      """
    #expect(String(decoding: node.json(.plain, pretty: true), as: UTF8.self) == plain)
    #expect(String(decoding: node.json(.export, pretty: true), as: UTF8.self) == export)
    let service = """
      {
        "a" : [ 1, {
          "b" : true
        } ],
        "c" : "x"
      }
      """
    #expect(String(decoding: node.json(.plain, layout: .service), as: UTF8.self) == service)
    let empty = JSON.object([.init("a", .array([])), .init("b", .object([]))]).text(layout: .service)
    #expect(empty == Array("{\n  \"a\" : [ ],\n  \"b\" : { }\n}".utf8))
    #expect(JSON.object([.init("a", .array([]))]).text(pretty: true) == Array("{\n  \"a\": []\n}".utf8))
  }

  @Test("Output is appended to earlier output") func goesBehindWhatWasWrittenBefore() throws {
    var writer = JSONWriter(appendingTo: Array("x".utf8))
    writer.write(raw: "[")
    writer.write("\u{2028}")
    writer.write(raw: ",")
    writer.write(true)
    writer.write(raw: ",")
    writer.writeNull()
    writer.write(raw: "]")
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "x[\"\u{2028}\",true,null]")
  }

  @Test("Characters are escaped at every position of a machine word") func escapesAtEveryPlaceOfAWord() throws {
    for length in 0..<24 {
      for place in 0...length {
        for special: Unicode.Scalar in ["\"", "\\", "\n", "\u{1}", "\u{1F}", "é", "\u{7F}", "\u{FFFF}"] {
          var text = String(repeating: "é", count: place)
          text.unicodeScalars.append(special)
          text += String(repeating: "x", count: length - place)
          let back = try JSONSample.read(Node(.string(text)).json()) { try $0.string() }
          #expect(back.utf8.elementsEqual(text.utf8))
        }
      }
    }
  }

  @Test("The output is the same for thousands of children") func isTheSameForThousandsOfChildren() throws {
    let list = "[" + (0..<3_000).map { #"{"n":\#($0),"t":"text \#($0)"}"# }.joined(separator: ",") + "]"
    let node = try JSONSample.node(list)
    #expect(node.childCount == 3_000)
    #expect(JSONSample.plain(node) == list)
    let members = (1_000..<4_000).map { #""k\#($0)":{".value":\#($0),".priority":\#(5_000 - $0)}"# }
    let object = "{" + members.joined(separator: ",") + "}"
    let reversed = "{" + members.reversed().joined(separator: ",") + "}"
    #expect(try JSONSample.export(JSONSample.node(object)) == object)
    #expect(try JSONSample.export(JSONSample.node(reversed)) == object)
    #expect(try JSONSample.node(object).simpleHash() == JSONSample.node(reversed).simpleHash())
  }
}
