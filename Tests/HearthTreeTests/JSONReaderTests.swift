import HearthTree
import Testing

@Suite("The JSON reader") struct JSONReaderTests {
  @Test("An object is iterated without making strings of its names") func walksAnObjectWithoutMakingStringsOfItsNames()
    throws
  {
    let (path, number, flag) = try JSONSample.read(#" { "r" : 7 , "skip":[{"a":[1,"]"]}], "p":"x", "ok":true } "#) {
      reader in
      var (path, number, flag): (String?, Int64?, Bool?)
      try reader.beginObject()
      while let name = try reader.nextMemberName() {
        switch name {
        case "r": number = try reader.integer()
        case "p": path = try reader.string()
        case "ok": flag = try reader.bool()
        default: try reader.skipValue()
        }
      }
      return (path, number, flag)
    }
    #expect(path == "x" && number == 7 && flag == true)
  }

  @Test("Names are compared with their escapes resolved") func comparesNamesWithTheirEscapesResolved() throws {
    try JSONSample.read(#"{"\u0070":1,"p\n":2}"#) { reader in
      try reader.beginObject()
      let first = try #require(try reader.nextMemberName())
      #expect(first == "p")
      #expect(first.text == "p")
      try reader.skipValue()
      #expect(try reader.nextMember() == "p\n")
      try reader.skipValue()
      #expect(try reader.nextMember() == nil)
    }
  }

  @Test("The reader can go back to a skipped value") func canGoBackToAValueThatItSkipped() throws {
    try JSONSample.read(#"{"d":{"a":1},"p":"x"}"#) { reader in
      try reader.beginObject()
      #expect(try reader.nextMember() == "d")
      let start = reader.offset
      try reader.skipValue()
      #expect(try reader.nextMember() == "p")
      _ = try reader.string()
      var again = reader
      again.offset = start
      #expect(try again.writeValue().node == Node(.int(1)).under("a"))
      #expect(try reader.nextMember() == nil)
    }
  }

  @Test("Arrays and null are read") func readsArraysAndNull() throws {
    try JSONSample.read(#"[1, null ,"x"]"#) { reader in
      try reader.beginArray()
      #expect(try reader.nextElement())
      #expect(try !reader.null())
      #expect(try reader.integer() == 1)
      #expect(try reader.nextElement())
      #expect(try reader.null())
      #expect(try reader.nextElement())
      #expect(try reader.kind() == .string)
      #expect(try reader.string() == "x")
      #expect(try !reader.nextElement())
    }
  }

  @Test("General values are kept unchanged") func keepsGeneralValuesAsTheyAre() throws {
    let text = #"{"b":[1,null,{},[],"é",1.5,true],"a":{"x":null},"a":2}"#
    let value = try JSONSample.read(text) { try $0.value() }
    #expect(String(decoding: value.text(), as: UTF8.self) == text)
    guard case .int(2)? = value["a"] else {
      Issue.record("the last of two members of a name counts")
      return
    }
  }

  @Test("A value of another type is distinguished from a missing one") func tellsAnotherKindFromNoValueAtAll() {
    #expect(JSONSample.error(Array("5".utf8)) { _ = try $0.string() }?.code == .wrongKind)
    #expect(JSONSample.error(Array("x".utf8)) { _ = try $0.string() }?.code == .unexpectedByte)
    #expect(JSONSample.error([]) { _ = try $0.string() }?.code == .unexpectedEnd)
    #expect(JSONSample.error(Array("1.5".utf8)) { _ = try $0.integer() }?.code == .wrongKind)
    #expect(JSONSample.error(Array("true".utf8)) { _ = try $0.integer() }?.code == .wrongKind)
    #expect(JSONSample.error(Array("[".utf8)) { try $0.beginObject() }?.code == .wrongKind)
    #expect(JSONSample.error(Array("\"a\"".utf8)) { _ = try $0.merge() }?.code == .wrongKind)
  }

  @Test("An error has its offset") func saysWhereItStopped() throws {
    let error = try #require(JSONSample.error(#"{"a": [1, 2,, 3]}"#))
    #expect(error.code == .unexpectedByte)
    #expect(error.offset == 12)
    #expect(error.description == "Expected a value (byte 12)")
  }

  @Test("Nesting is limited, however the text is read") func boundsNestingHoweverTheTextIsRead() {
    let bodies: [(inout JSONReader) throws -> Void] = [
      { try $0.skipValue() }, { _ = try $0.value() },
    ]
    for body in bodies {
      for open in ["[", #"{"a":"#] {
        let deep = Array(String(repeating: open, count: 65).utf8)
        #expect(JSONSample.error(deep, body)?.code == .tooDeep)
        let million = Array(String(repeating: open, count: 200_000).utf8)
        #expect(JSONSample.error(million, body)?.code == .tooDeep)
      }
      let allowed = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
      #expect(JSONSample.error(Array(allowed.utf8), body) == nil)
    }
  }

  @Test("The number of values in a general text is limited") func boundsHowManyValuesAGeneralTextHas() {
    var limits = JSONLimits.standard
    limits.generalValuesMax = 3
    #expect(JSONSample.error(Array("[1,2]".utf8), limits: limits) { _ = try $0.value() } == nil)
    #expect(JSONSample.error(Array("[1,2,3]".utf8), limits: limits) { _ = try $0.value() }?.code == .tooMany)
  }

  @Test("Special characters are found at every position of a machine word") func findsSpecialsAtEveryPlaceOfAWord()
    throws
  {
    for length in 0..<40 {
      for place in 0...length {
        for special in ["\\n", "é", "\u{7F}", "🐵", "\\\"", "\\u00e9"] {
          let content = String(repeating: "x", count: place) + special + String(repeating: "y", count: length - place)
          let value = try JSONSample.read("\"\(content)\"") { try $0.value() }
          let back = try JSONSample.read(value.text()) { try $0.string() }
          #expect(value.string?.utf8.elementsEqual(back.utf8) == true)
          #expect(value.string?.unicodeScalars.count == length + 1)
        }
      }
    }
  }
}

extension Node {
  fileprivate func under(_ key: Key) -> Node { Node.empty.replacing(Path([key]), with: self) }
}
