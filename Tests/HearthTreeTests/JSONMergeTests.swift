import HearthTree
import Testing

@Suite("Multi-path updates from JSON") struct JSONMergeTests {
  private func error(_ text: String, below depth: Int = 0, limits: JSONLimits = .standard) -> JSONError.Code? {
    JSONSample.error(Array(text.utf8), limits: limits) { _ = try $0.merge(below: depth) }?.code
  }

  @Test("Are one write a path") func areOneWriteAPath() throws {
    let writes = try JSONSample.merge(#"{"a/b":1,"c":null,"/d//e/":{"f":[2]}}"#)
    #expect(writes.map(\.location.description) == ["/a/b", "/c", "/d/e"])
    #expect(writes.map { JSONSample.export($0.value.node) } == ["1", "null", #"{"f":{"0":2}}"#])
    #expect(try JSONSample.merge("{}").isEmpty)
  }

  @Test("May write priorities, which come last") func mayWritePrioritiesWhichComeLast() throws {
    let writes = try JSONSample.merge(#"{"a/.priority":1,".priority":"x","a/b":2}"#)
    #expect(writes.map(\.location.description) == ["/a/b", "/a/.priority", "/.priority"])
    #expect(error(#"{"a/.priority":true}"#) == .invalidPriority)
  }

  @Test(
    "Have no path inside another",
    arguments: [
      #"{"a":1,"a/b":2}"#, #"{"a/b":2,"a":1}"#, #"{"a":1,"b":1,"a/b/c":2}"#, #"{"a":1,"a/.priority":2}"#,
      #"{"":1,"a":2}"#, #"{"a/b":1,"a!":1,"a/b/c":1}"#, #"{"a":null,"a/b":null}"#,
    ]) func haveNoPathInsideAnother(text: String)
  {
    #expect(error(text) == .overlappingPaths)
  }

  @Test(
    "Have neighbours",
    arguments: [#"{"a":1,"ab":2}"#, #"{"a/b":1,"a/c":2,"ab":3}"#, #"{"a/.priority":1,"a/b":2}"#, #"{"/":1}"#])
  func haveNeighbours(text: String) {
    #expect(error(text) == nil)
  }

  @Test("Take the last of a repeated path") func takeTheLastOfARepeatedPath() throws {
    let writes = try JSONSample.merge(#"{"a/b":1,"c":2,"a\u002fb":3}"#)
    #expect(writes.map { JSONSample.export($0.value.node) } == ["3", "2"])
  }

  @Test(
    "Names each path in one form",
    arguments: [#"{"b/":1,"/b":2}"#, #"{"a/b":1,"c":2,"/a/b":3}"#, #"{"a//b":1,"a/b":1}"#, #"{"":1,"/":1}"#])
  func nameAPathInOneWay(text: String) {
    #expect(error(text) == .overlappingPaths)
  }

  @Test(
    "Have names that are paths",
    arguments: [
      #"{"a.b":1}"#, #"{"a/$b":1}"#, #"{".info":1}"#, #"{"a/.priority/b":1}"#, #"{"a/.value":1}"#, #"{"a\u0001":1}"#,
    ]) func haveNamesThatArePaths(text: String)
  {
    #expect(error(text) == .invalidPath)
  }

  @Test("Count their depth from the root") func countTheirDepthFromTheRoot() {
    let path = Array(repeating: "a", count: 30).joined(separator: "/")
    #expect(error("{\"\(path)\":1}", below: 2) == nil)
    #expect(error("{\"\(path)\":1}", below: 3) == .tooDeep)
    #expect(error("{\"\(path)\":{\"b\":1}}", below: 1) == nil)
    #expect(error("{\"\(path)\":{\"b\":1}}", below: 2) == .tooDeep)
  }

  @Test("Are no longer than their limit") func areNoLongerThanTheirLimit() {
    var limits = JSONLimits.standard
    limits.mergePathsMax = 2
    #expect(error(#"{"a":1,"b":1}"#, limits: limits) == nil)
    #expect(error(#"{"a":1,"b":1,"a":1}"#, limits: limits) == nil)
    #expect(error(#"{"a":1,"b":1,"c":1}"#, limits: limits) == .tooMany)
  }

  @Test("Bring no more leaves than their limit, over all paths") func bringNoMoreLeavesThanTheirLimit() {
    var limits = JSONLimits.standard
    limits.leavesMax = 3
    #expect(error(#"{"a":[1,2],"b":"x"}"#, limits: limits) == nil)
    #expect(error(#"{"a":[1,2],"b":{"c":1,"d":1}}"#, limits: limits) == .tooMany)
    #expect(error(#"{"a":[1,2,3,4]}"#, limits: limits) == .tooMany)
  }

  @Test("Are objects", arguments: ["5", "[1]", "null", #""a""#]) func areObjects(text: String) {
    #expect(error(text) == .wrongKind)
  }
}
