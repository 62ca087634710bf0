import HearthTree
import Testing

/// Tests of JSON literals, and of members that are set one by one.
@Suite struct JSONLiteralTests {
  @Test("a literal is the value of the same text")
  func literals() {
    let number = 7
    let value: JSON = [
      "b": ["x", 1, 1.5, true, .null, [:], []], "a": "n\(number)", "a": .string("again"),
    ]
    #expect(String(decoding: value.text(), as: UTF8.self) == #"{"b":["x",1,1.5,true,null,{},[]],"a":"n7","a":"again"}"#)
    #expect(value == JSON(parsing: value.text()))
    #expect(value["none"] == nil && value["b"]?.array?[4] != nil, "null is no nil")
  }

  @Test("a member that is set is appended, or replaces the last one of its name")
  func setting() {
    var value: JSON = ["a": 1, "b": 2, "a": 3]
    value["a"] = "new"
    value["c"] = .null
    #expect(value == ["a": 1, "b": 2, "a": "new", "c": .null])
    value["a"] = nil
    value["none"] = nil
    #expect(value == ["b": 2, "c": .null])
    #expect(value.appending(["b": 3]) == ["b": 2, "c": .null, "b": 3])
    var text: JSON = "text"
    text["a"] = true
    #expect(text == ["a": true])
  }

  @Test("names are compared by code units") func names() {
    var value: JSON = ["\u{E9}": 1]
    value["e\u{301}"] = 2
    #expect(value.members?.count == 2)
  }
}
