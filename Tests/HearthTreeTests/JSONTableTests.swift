import HearthTree
import Testing

@Suite("The JSON grammar") struct JSONTableTests {
  /// All functions that read a value.
  private static let readers: [@Sendable (inout JSONReader) throws -> Void] = [
    { _ = try $0.writeValue() }, { _ = try $0.value() }, { try $0.skipValue() },
  ]

  @Test("Valid JSON is accepted") func acceptsWhatIsJSON() {
    for (text, reason) in JSONTable.accepted {
      for read in Self.readers {
        #expect(JSONSample.error(JSONTable.bytes(text), read)?.code == nil, "\(text): \(reason)")
      }
    }
  }

  @Test("Invalid JSON is refused") func refusesWhatIsNot() {
    for (text, code, reason) in JSONTable.refused {
      for read in Self.readers {
        #expect(JSONSample.error(JSONTable.bytes(text), read)?.code.rawValue == code, "\(text): \(reason)")
      }
    }
  }

  @Test("Every truncated text is refused") func refusesEveryTextThatWasCutOff() {
    let text = Array(#" {"a":[1.5e3,true,"\u00e9\ud83d\udc35é",{"b":null}],"c":{".value":"x",".priority":-2}} "#.utf8)
    for length in 0..<text.count - 1 {
      for read in Self.readers {
        #expect(JSONSample.error(Array(text[..<length]), read) != nil)
      }
    }
  }

  @Test("The names of errors do not change") func namesItsErrorsForGood() {
    #expect(
      JSONError.Code.allCases.map(\.rawValue) == [
        "unexpected-end", "unexpected-byte", "trailing-bytes", "invalid-utf8", "invalid-escape", "number-out-of-range",
        "wrong-kind", "too-deep", "string-too-long", "too-many", "invalid-key", "invalid-metadata", "invalid-priority",
        "unknown-server-value", "invalid-path", "overlapping-paths",
      ])
  }
}
