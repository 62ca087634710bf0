import HearthTree
import Testing

@Suite("Server values") struct ServerValueTests {
  private func resolved(_ text: String, over existing: String = "null", now: Int64 = 1_000) throws -> String {
    JSONSample.export(
      try JSONSample.write(text).resolved(existing: JSONSample.node(existing), nowMilliseconds: now))
  }

  @Test("Server values may be in place of any leaf or priority") func standAnywhereALeafOrAPriorityMay() throws {
    let now = #"{".sv":"timestamp"}"#
    #expect(try resolved(now) == "1000")
    #expect(try resolved(#"{".value":\#(now),".priority":"p"}"#) == #"{".value":1000,".priority":"p"}"#)
    #expect(try resolved(#"{".sv":"timestamp",".priority":\#(now)}"#) == #"{".value":1000,".priority":1000}"#)
    #expect(try resolved(#"{"a":[\#(now)],".priority":\#(now)}"#) == #"{"a":{"0":1000},".priority":1000}"#)
  }

  @Test("Timestamps in one write are equal") func areOneTimeForAWholeWrite() throws {
    let writes = try JSONSample.merge(#"{"a":{".sv":"timestamp"},"b/c":{"d":{".sv":"timestamp"}}}"#)
    let nodes = writes.map { $0.value.resolved(existing: .empty, nowMilliseconds: 5) }
    #expect(nodes.map { JSONSample.export($0) } == ["5", #"{"d":5}"#])
  }

  @Test(
    "Increments add to the current value",
    arguments: [
      ("5", "2", "7"), ("5", "-7", "-2"), ("null", "2", "2"), (#""x""#, "2", "2"), ("true", "2", "2"),
      (#"{"a":1}"#, "2", "2"),
      ("1.5", "1", "2.5"), ("1", "1.5", "2.5"), ("1.0", "1", "2"), ("null", "2.5", "2.5"),
      ("9223372036854775807", "1", "9.223372036854776e+18"), ("9223372036854775806", "1", "9223372036854775807"),
      ("-9223372036854775808", "-1", "-9.223372036854776e+18"), ("1.7e308", "1.7e308", "1.7976931348623157e+308"),
      ("-1.7e308", "-1.7e308", "-1.7976931348623157e+308"), ("1.5", "-1.5", "0"),
    ]) func countUpFromWhatIsThere(existing: String, by: String, result: String) throws
  {
    #expect(try resolved(#"{".sv":{"increment":\#(by)}}"#, over: existing) == result)
  }

  @Test("Server values use the current value at their own path") func findTheirOwnPlaceInWhatIsThere() throws {
    let existing = #"{"a":{"n":1,"m":5},"k":{".value":1,".priority":40}}"#
    let text = #"{"a":{"n":{".sv":{"increment":2}}},"k":{".value":0,".priority":{".sv":{"increment":2}}}}"#
    #expect(try resolved(text, over: existing) == #"{"a":{"n":3},"k":{".value":0,".priority":42}}"#)
  }

  @Test("The server value of a priority is dropped with its empty node") func vanishWithTheNodeWhosePriorityTheyAre()
    throws
  {
    #expect(try resolved(#"{"a":{".priority":{".sv":"timestamp"}},"b":1}"#) == #"{"b":1}"#)
    #expect(try resolved(#"{"a":{".priority":{".sv":"timestamp"},"c":null},"b":1}"#) == #"{"b":1}"#)
  }

  /// Objects with a repeated name, of which only the last value and its server values are used.
  @Test(
    "Server values are counted once for a repeated name",
    arguments: [
      (#"{"a":{".sv":"timestamp"},"a":0}"#, #"{"a":0}"#), (#"{"a":{".sv":"timestamp"},"a":null,"b":1}"#, #"{"b":1}"#),
      (#"{"a":{"b":{".sv":"timestamp"}},"a":{"b":0}}"#, #"{"a":{"b":0}}"#),
      (#"{"a":0,"a":{".sv":"timestamp"}}"#, #"{"a":1000}"#),
      (#"{"a":{".sv":"timestamp"},"\u0061":{".sv":"timestamp"}}"#, #"{"a":1000}"#),
      (
        #"{"a":{"b":{"c":{".sv":"timestamp"}}},"a":{"b":{"c":0,"d":{".sv":"timestamp"}}}}"#,
        #"{"a":{"b":{"c":0,"d":1000}}}"#
      ),
      (#"{"x":{"a":{".sv":"timestamp"}},"y":{"a":0}}"#, #"{"x":{"a":1000},"y":{"a":0}}"#),
      (#"{"a":{".value":0,".priority":{".sv":"timestamp"},".priority":3}}"#, #"{"a":{".value":0,".priority":3}}"#),
      (#"{".sv":"timestamp",".sv":{"increment":2}}"#, "2"),
    ]) func countOnceForARepeatedName(text: String, result: String) throws
  {
    #expect(try resolved(text) == result)
  }

  @Test("The number of server values is limited") func areBoundedInNumber() {
    var limits = JSONLimits.standard
    limits.deferredValuesMax = 2
    func error(_ count: Int) -> JSONError.Code? {
      let text = "[" + Array(repeating: #"{".sv":"timestamp"}"#, count: count).joined(separator: ",") + "]"
      return JSONSample.error(Array(text.utf8), limits: limits) { _ = try $0.writeValue() }?.code
    }
    #expect(error(2) == nil)
    #expect(error(3) == .tooMany)
  }
}
