import HearthEngine
import HearthTestKit
import Testing

/// Expects a script to have exactly the effects that it lists, and shows the first line that differs.
func expectScenario(
  _ script: String, limits: EngineLimits = EngineLimits(), sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let transcript = try Scenario.transcript(of: script, limits: limits)
  guard transcript != script else { return }
  let (expected, found) = (script.split(separator: "\n"), transcript.split(separator: "\n"))
  let same = zip(expected, found).prefix { $0 == $1 }.count
  Issue.record(
    """
    after \(found[..<same].last { $0.first != " " } ?? "the start")
    expected \(same < expected.count ? expected[same] : "the end")
    found    \(same < found.count ? found[same] : "the end")
    """, sourceLocation: sourceLocation)
}
