import HearthTree
import Testing

@Suite("Multi-path updates from JSON") struct JSONMergeTests {
  private func error(_ text: String, below depth: Int = 0, limits: JSONLimits = .standard) -> JSONError.Code? {
    JSONSample.error(Array(text.utf8), limits: limits) { _ = try $0.merge(below: depth) }?.code
  }

  @Test("An update is one write for each path") func areOneWriteAPath() throws {
    let writes = try JSONSample.merge(#"{"a/b":1,"c":null,"/d//e/":{"f":[2]}}"#)
    #expect(writes.map(\.location.description) == ["/a/b", "/c", "/d/e"])
    #expect(writes.map { JSONSample.export($0.value.node) } == ["1", "null", #"{"f":{"0":2}}"#])
    #expect(try JSONSample.merge("{}").isEmpty)
  }

  @Test("An update may write priorities, which come last") func mayWritePrioritiesWhichComeLast() throws {
    let writes = try JSONSample.merge(#"{"a/.priority":1,".priority":"x","a/b":2}"#)
    #expect(writes.map(\.location.description) == ["/a/b", "/a/.priority", "/.priority"])
    #expect(error(#"{"a/.priority":true}"#) == .invalidPriority)
  }

  @Test(
    "No path of an update lies inside another",
    arguments: [
      #"{"a":1,"a/b":2}"#, #"{"a/b":2,"a":1}"#, #"{"a":1,"b":1,"a/b/c":2}"#, #"{"a":1,"a/.priority":2}"#,
      #"{"":1,"a":2}"#, #"{"a/b":1,"a!":1,"a/b/c":1}"#, #"{"a":null,"a/b":null}"#,
    ]) func haveNoPathInsideAnother(text: String)
  {
    #expect(error(text) == .overlappingPaths)
  }

  @Test(
    "Paths of an update may be siblings",
    arguments: [#"{"a":1,"ab":2}"#, #"{"a/b":1,"a/c":2,"ab":3}"#, #"{"a/.priority":1,"a/b":2}"#, #"{"/":1}"#])
  func haveNeighbours(text: String) {
    #expect(error(text) == nil)
  }

  @Test("Of a repeated path the last value is used") func takeTheLastOfARepeatedPath() throws {
    let writes = try JSONSample.merge(#"{"a/b":1,"c":2,"a\u002fb":3}"#)
    #expect(writes.map { JSONSample.export($0.value.node) } == ["3", "2"])
  }

  @Test(
    "An update names each path in one form",
    arguments: [#"{"b/":1,"/b":2}"#, #"{"a/b":1,"c":2,"/a/b":3}"#, #"{"a//b":1,"a/b":1}"#, #"{"":1,"/":1}"#])
  func nameAPathInOneWay(text: String) {
    #expect(error(text) == .overlappingPaths)
  }

  @Test(
    "The names of an update are paths",
    arguments: [
      #"{"a.b":1}"#, #"{"a/$b":1}"#, #"{".info":1}"#, #"{"a/.priority/b":1}"#, #"{"a/.value":1}"#, #"{"a\u0001":1}"#,
    ]) func haveNamesThatArePaths(text: String)
  {
    #expect(error(text) == .invalidPath)
  }

  @Test("The depth of an update is counted from the root") func countTheirDepthFromTheRoot() {
    let path = Array(repeating: "a", count: 30).joined(separator: "/")
    #expect(error("{\"\(path)\":1}", below: 2) == nil)
    #expect(error("{\"\(path)\":1}", below: 3) == .tooDeep)
    #expect(error("{\"\(path)\":{\"b\":1}}", below: 1) == nil)
    #expect(error("{\"\(path)\":{\"b\":1}}", below: 2) == .tooDeep)
  }

  @Test("An update has no more paths than its limit") func areNoLongerThanTheirLimit() {
    var limits = JSONLimits.standard
    limits.mergePathsMax = 2
    #expect(error(#"{"a":1,"b":1}"#, limits: limits) == nil)
    #expect(error(#"{"a":1,"b":1,"a":1}"#, limits: limits) == nil)
    #expect(error(#"{"a":1,"b":1,"c":1}"#, limits: limits) == .tooMany)
  }

  @Test("An update has no more leaves than its limit, over all paths") func bringNoMoreLeavesThanTheirLimit() {
    var limits = JSONLimits.standard
    limits.leavesMax = 3
    #expect(error(#"{"a":[1,2],"b":"x"}"#, limits: limits) == nil)
    #expect(error(#"{"a":[1,2],"b":{"c":1,"d":1}}"#, limits: limits) == .tooMany)
    #expect(error(#"{"a":[1,2,3,4]}"#, limits: limits) == .tooMany)
  }

  @Test("An update is an object", arguments: ["5", "[1]", "null", #""a""#]) func areObjects(text: String) {
    #expect(error(text) == .wrongKind)
  }
}
