import HearthEngine
import HearthRules
import HearthTree

/// A script of commands to an engine as plain text: the commands of connections and all their effects.
///
/// ```
/// rules {"rules": {".read": "auth != null", ".write": true}}
/// data {"rooms": {"r": {"title": "Tea"}}}
/// 1 connect
///   1 ok
/// 1 auth {"uid":"alice"} until 5000
///   1 ok
/// 1 listen /rooms/r
///   1 < put /rooms/r {"title":"Tea"}
///   1 ok
/// time 5000
///   1 < ended
///   1 < cancel /rooms/r expiry
///   log 1 cancellation /rooms/r: .read at /
/// ```
///
/// Claims are written without spaces. Lines at the margin are steps; the indented lines below one are its effects, all
/// of them and in order. Time begins at 0 on both clocks. Steps:
///
/// ```
/// rules FILE                 deploys rules                     N auth CLAIMS [until MS]   N admin   N unauth
/// data JSON                  replaces everything               N listen PATH [HASH]       N unlisten PATH
/// time MS                    moves the clocks, and ticks       N get PATH
/// batch / end                steps between are one batch       N put PATH JSON            N merge PATH JSON
/// N connect / N disconnect   N revoke [NUMBER]                 N swap HASH PATH JSON      (a put with a hash; - is "")
/// N listen PATH [HASH] [ranges COMPOUND] query QUERY tag T     N get PATH query QUERY     N unlisten PATH tag T
/// receipts on                shows redecisions of listens from here on
/// restart                    ends the engine without telling   N ondisconnect put PATH JSON
///                            connections and starts another    N ondisconnect merge PATH JSON
///                            with its state                    N ondisconnect cancel PATH
/// ```
///
/// Queries and compound hashes are those of the realtime protocol, without spaces. A listen with a query is named by
/// its connection and tag: `1#7 < put …`.
package struct Scenario {
  /// An error for a step that cannot be parsed.
  package struct Problem: Error, CustomStringConvertible {
    /// The line number, from 1.
    package var line: Int
    /// A description of the defect in the step.
    package var message: String
    package var description: String { "line \(line): \(message)" }
  }

  /// The engine after the last step.
  package private(set) var engine: Engine
  /// The time after the last step: milliseconds from 0 on both clocks.
  package private(set) var now = Instant(wallMilliseconds: 0, monotonicMilliseconds: 0)
  private var waiting: [Command]?
  private var showsReceipts = false
  /// True when answers count as delivered as soon as they are given.
  package var tellsTurns = true

  /// Creates an engine with an empty database and rules that deny every read and write.
  package init(limits: EngineLimits = EngineLimits()) {
    engine = Engine(state: DatabaseState(root: .empty, rules: .denyAll, position: 0), limits: limits)
  }

  /// Runs a script.
  ///
  /// - Returns: The same script with the actual effects, which equals the script when all were as expected.
  /// - Throws: ``Problem``.
  package static func transcript(of script: String, limits: EngineLimits = EngineLimits()) throws -> String {
    var scenario = Scenario(limits: limits)
    var lines: [String] = []
    for (number, line) in script.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.first == " " { continue }
      lines.append(String(line))
      if line.isEmpty || line.first == "#" { continue }
      do {
        lines += try scenario.perform(String(line)).map { "  " + $0 }
      } catch {
        throw Problem(line: number + 1, message: "\(error)")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// Executes one step.
  ///
  /// - Returns: Its effects, one line each.
  package mutating func perform(_ step: String) throws -> [String] {
    var words = Words(step)
    let first = words.next()
    switch first {
    case "time":
      guard let time = Int64(words.next()) else { throw ScenarioError("a number of milliseconds is missing") }
      now = Instant(wallMilliseconds: time, monotonicMilliseconds: time)
      return decide([Command(connection: Self.server, action: .tick)])
    case "batch":
      waiting = []
      return []
    case "end":
      let commands = waiting ?? []
      waiting = nil
      return decide(commands)
    case "receipts":
      showsReceipts = words.next() == "on"
      return []
    case "restart":
      engine = Engine(state: engine.state, limits: engine.limits)
      return decide([Command(connection: Self.server, action: .tick)])
    case "rules": return run(try Self.deploy(words.rest))
    case "data": return run(try Self.replaceAll(words.rest))
    default:
      guard let number = UInt64(first) else { throw ScenarioError("'\(first)' is no step") }
      return run(try Self.command(ConnectionID(rawValue: number), &words))
    }
  }

  private mutating func run(_ command: Command) -> [String] {
    guard waiting == nil else {
      waiting?.append(command)
      return []
    }
    return decide([command])
  }

  private mutating func decide(_ commands: [Command]) -> [String] {
    var (rest, lines): (ArraySlice<Command>, [String]) = (commands[...], [])
    while !rest.isEmpty {
      let batch = engine.decide(rest, at: now)
      lines += batch.effects.flatMap { $0.scenarioLines(showsReceipts: showsReceipts) }
      rest = rest.dropFirst(batch.commandCount)
      if let turn = batch.turn, tellsTurns {
        // Decisions are durable at once in a scenario.
        _ = engine.decide([Command(connection: Self.server, action: .turnsDelivered(upTo: turn))], at: now)
      }
    }
    return lines
  }
}

/// An error for a step that a scenario does not support.
struct ScenarioError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
