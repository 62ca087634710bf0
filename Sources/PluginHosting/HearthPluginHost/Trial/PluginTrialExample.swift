import HearthPlugin
import HearthSystem
import HearthTree

/// An input with the output that the plugin's author expects: an entry of `plugin-tests.json` in the plugin's folder.
///
/// ```json
/// [{"name": "a known key", "hook": "exchange",
///   "input": {"parameters": {"key": "test"}}, "output": {"user": {"uid": "sensor-7"}}}]
/// ```
/// The members of the input replace those of a sample input. The plugin's output must contain the members of the expected
/// output, and may contain others.
struct PluginTrialExample {
  static let fileName = "plugin-tests.json"

  let name: String
  let hook: PluginHook
  let input: JSON
  let output: JSON

  static func read(from folder: String, _ samples: TrialSamples) throws(PluginProblem) -> [PluginTrialExample] {
    let bytes = try? AtomicFile(folder: folder, name: fileName).read(bytesMax: 1 << 20)
    guard let bytes else { return [] }
    guard let elements = JSON(parsing: bytes)?.array else { throw PluginProblem("\(fileName) is not a list in JSON") }
    var examples: [PluginTrialExample] = []
    for (index, element) in elements.enumerated() {
      guard let hook = element["hook"]?.string.flatMap({ PluginHook(rawValue: $0) }), let output = element["output"]
      else { throw PluginProblem("\(fileName)[\(index)] needs a known hook and an output") }
      examples.append(
        PluginTrialExample(
          name: LogLines.printable((element["name"]?.string ?? "example \(index + 1)").utf8.prefix(60)), hook: hook,
          input: samples.input(hook).merged(with: element["input"] ?? [:]), output: output))
    }
    return examples
  }

  /// Returns the problem of an outcome; nil when it is as expected.
  func problem(_ outcome: PluginOutcome) -> String? {
    if let problem = TrialSamples.problem(hook, outcome) { return problem }
    guard case .output(let answer) = outcome, answer.contains(output) else { return "returned another output" }
    return nil
  }
}

extension JSON {
  /// Returns this object with the members of another in place of its own, level by level.
  fileprivate func merged(with other: JSON) -> JSON {
    guard let own = members, let others = other.members else { return other }
    let kept = own.map { member in
      Member(member.name, other[member.name].map { member.value.merged(with: $0) } ?? member.value)
    }
    return .object(kept + others.filter { self[$0.name] == nil })
  }

  /// Returns true when this value has every member of the other, with the same value.
  fileprivate func contains(_ other: JSON) -> Bool {
    guard let wanted = other.members else { return self == other }
    return wanted.allSatisfy { member in self[member.name].map { $0.contains(member.value) } ?? false }
  }
}
