import HearthSync
import HearthTree

/// A story of a client's data: what is listened to, what the server says, what the app writes, and which events each
/// step raises.
package struct Scenario: Sendable {
  /// Its name in the file.
  package var name: String
  var steps: [Step]

  /// One thing that happens, and the events that it raises.
  struct Step: Sendable {
    var action: Action
    var events: [Expectation]
  }

  /// What happens. Paths are relative to where the scenario is run.
  enum Action: Sendable {
    case listen(Path, Query, callback: Int?)
    case unlisten(Path, Query, callback: Int?)
    case serverUpdate(Location, Node, tag: Int?)
    case serverMerge(Path, [(Location, Node)], tag: Int?)
    case set(Location, Node, isVisible: Bool)
    case update(Path, [(Location, Node)])
    case ackUserWrite(Int, isReverted: Bool)
    /// Nothing: some clients log a warning here.
    case suppressWarning
  }

  /// An event that is expected.
  struct Expectation: Sendable {
    var path: Path
    var type: EventTypes
    /// nil for a value.
    var name: Key?
    var previousName: Key?
    var data: Node
  }
}

/// A file that is no list of scenarios.
package struct ScenarioError: Error, CustomStringConvertible {
  /// What is wrong and where.
  package var description: String
}
