import Foundation
import HearthSyncScenarios
import HearthTree
import Testing

/// Tests of scenario files, in the format of the program `sync-scenarios`.
@Suite struct ScenarioTests {
  static func scenarios() throws -> [Scenario] {
    let url = try #require(Bundle.module.url(forResource: "views", withExtension: "json", subdirectory: "Scenarios"))
    return try Scenario.read(String(contentsOf: url, encoding: .utf8))
  }

  @Test("scenarios have the results in their files, at the root and below", arguments: try scenarios().indices)
  func runs(index: Int) throws {
    let scenario = try Self.scenarios()[index]
    for base in [Path.root, Path("foo/bar/baz")] {
      let failure = scenario.failure(below: base)
      #expect(failure == nil, "\(scenario.name) at \(base): \(failure ?? "")")
    }
  }

  @Test(
    "a scenario with missing events fails, and the error names the step",
    arguments: [
      #"{"path":"a","type":"value","data":2}"#, #"{"path":"b","type":"value","data":1}"#,
      #"{"path":"a","type":"child_added","name":"x","prevName":null,"data":1}"#,
      #"{"path":"a","type":"value","data":1},{"path":"a","type":"value","data":1}"#, "",
    ])
  func fails(expected: String) throws {
    let text = """
      [{"name":"n","steps":[{"type":"listen","path":"a","events":[]},
        {"type":"set","path":"a","data":1,"events":[\(expected)]}]}]
      """
    let failure = try #require(try Scenario.read(text).first?.failure(below: .root))
    #expect(failure.hasPrefix("step 2: "))
  }

  @Test(
    "the error of an invalid scenario file has the place",
    arguments: [
      (#"[{"name":"x","steps":[]},"# + "\n  ?]", "line 2, column 3: "),
      (#"{"name":"x"}"#, "a file of scenarios must be"),
      (#"[{"steps":[]}]"#, "scenario 1: it has no name"),
      (#"[{"name":"x"}]"#, "scenario 1, \"x\": it has no steps"),
      (#"[{"name":"x","steps":[{"type":"lisen","path":"a"}]}]"#, "scenario 1, \"x\": step 1: \"lisen\" is no type"),
      (#"[{"name":"x","steps":[{"type":"listen"}]}]"#, "scenario 1, \"x\": step 1: path must be"),
      (#"[{"name":"x","steps":[{"type":"set","path":"a"}]}]"#, "scenario 1, \"x\": step 1: it has no data"),
      (
        #"[{"name":"x","steps":[{"type":"set","path":"a.b","data":1}]}]"#,
        "scenario 1, \"x\": step 1: \"a.b\" is no path"
      ),
      (
        #"[{"name":"x","steps":[{"type":"listen","path":"a","params":{"limitToFirst":1}}]}]"#,
        "scenario 1, \"x\": step 1: params must have a tag"
      ),
      (
        #"[{"name":"x","steps":[{"type":"listen","path":"a","params":{"tag":1,"limit":1}}]}]"#,
        "scenario 1, \"x\": step 1: limit is no parameter"
      ),
      (
        #"[{"name":"x","steps":[{"type":"set","path":"a","data":1,"events":[{"type":"vale","path":"a"}]}]}]"#,
        "scenario 1, \"x\": step 1: event 1: \"vale\" is no type"
      ),
    ])
  func refuses(text: String, start: String) throws {
    let error = try #require(throws: ScenarioError.self) { try Scenario.read(text) }
    #expect(error.description.hasPrefix(start), "\(error)")
  }
}
