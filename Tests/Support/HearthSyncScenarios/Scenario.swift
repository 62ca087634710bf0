import HearthSync
import HearthTree

/// A sequence of client operations: listens, server messages and writes of the app, with the events that each step
/// raises.
package struct Scenario: Sendable {
  /// The name of the scenario in the file.
  package var name: String
  var steps: [Step]

  /// A step with the events that it raises.
  struct Step: Sendable {
    var action: Action
    var events: [Expectation]
  }

  /// The action of a step. Paths are relative to the base of the run.
  enum Action: Sendable {
    case listen(Path, Query, callback: Int?)
    case unlisten(Path, Query, callback: Int?)
    case serverUpdate(Location, Node, tag: Int?)
    case serverMerge(Path, [(Location, Node)], tag: Int?)
    case set(Location, Node, isVisible: Bool)
    case update(Path, [(Location, Node)])
    case ackUserWrite(Int, isReverted: Bool)
    /// No operation; some clients log a warning at this step.
    case suppressWarning
  }

  /// An expected event.
  struct Expectation: Sendable {
    var path: Path
    var type: EventTypes
    /// The key of the child; nil for value events.
    var name: Key?
    var previousName: Key?
    var data: Node
  }
}

/// An error for a file that does not contain scenarios.
package struct ScenarioError: Error, CustomStringConvertible {
  /// A description of the defect and its position.
  package var description: String
}
