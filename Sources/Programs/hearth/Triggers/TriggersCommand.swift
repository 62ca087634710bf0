import ArgumentParser
import HearthProgram
import HearthTree
import HearthTriggers
import NIOHTTP1

/// The command `hearth triggers`.
struct TriggersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "triggers", abstract: "Send events of writes and accounts to functions and other receivers.",
    subcommands: [TriggersAdd.self, List.self, Show.self, Pause.self, Resume.self, Dead.self, Replay.self, Remove.self])

  /// The command `hearth triggers list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the triggers with their state.")

    @OptionGroup var server: TriggersServer

    func run() async throws {
      try await server.run { client in
        let answer = try await client.send(.GET, ".json")
        client.report(answer) {
          var table = TextTable(head: ["NAME", "ON", "PATH", "TO", "WAITING", "DELIVERED", "DEAD", "STATE"])
          for trigger in answer["triggers"]?.array ?? [] {
            table.add(
              ["name", "on", "path", "url"].map { trigger[$0]?.string ?? Self.other($0, trigger) }
                + ["waiting", "delivered", "dead"].map { "\(trigger["status"]?[$0]?.int ?? 0)" }
                + [Self.state(trigger)])
          }
          return table.text
        }
      }
    }

    /// Returns the text of a column for a trigger on users, or for a plugin.
    private static func other(_ column: String, _ trigger: JSON) -> String {
      switch column {
      case "on": trigger["user"]?.string ?? ""
      case "path": "(users)"
      case "url": "plugin " + (trigger["plugin"]?.string ?? "")
      default: ""
      }
    }

    private static func state(_ trigger: JSON) -> String {
      if let pause = trigger["pause"]?.string { return "paused: \(pause)" }
      return trigger["status"]?["isUnreachable"]?.bool == true ? "unreachable" : "sending"
    }
  }

  /// The command `hearth triggers show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the settings and figures of a trigger.")

    @OptionGroup var named: NamedTrigger

    func run() async throws {
      try await named.server.run { client in
        let answer = try await client.send(.GET, named.path)
        client.report(answer) {
          var table = TextTable()
          for member in answer.members ?? [] where member.name != "status" {
            table.add([member.name, member.value.string ?? String(decoding: member.value.text(), as: UTF8.self)])
          }
          for member in answer["status"]?.members ?? [] {
            table.add([member.name, member.value.string ?? String(decoding: member.value.text(), as: UTF8.self)])
          }
          return table.text
        }
      }
    }
  }

  /// The command `hearth triggers pause`.
  struct Pause: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Pause a trigger: its events wait until it is resumed.")

    @OptionGroup var named: NamedTrigger

    @Option(help: ArgumentHelp("The reason to show.", valueName: "text"))
    var reason = "by command"

    func run() async throws {
      try await named.server.run { client in
        let answer = try await client.send(.PATCH, named.path, ["pause": .string(reason)])
        client.report(answer) { "paused \(named.name)" }
      }
    }
  }

  /// The command `hearth triggers resume`.
  struct Resume: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(abstract: "Resume a paused trigger.")

    @OptionGroup var named: NamedTrigger

    func run() async throws {
      try await named.server.run { client in
        let answer = try await client.send(.PATCH, named.path, ["pause": .null])
        client.report(answer) { "resumed \(named.name)" }
      }
    }
  }

  /// The command `hearth triggers dead`.
  struct Dead: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the dead letters of a trigger: events that are no longer tried, with the reason.")

    @OptionGroup var named: NamedTrigger

    @Flag(help: "Remove the dead letters permanently.")
    var purge = false

    func run() async throws {
      try await named.server.run { client in
        let path = "/\(PercentEncoding.encode(named.name))/dead.json"
        let answer = try await client.send(purge ? .DELETE : .GET, path)
        client.report(answer) {
          if purge { return "removed \(answer["removed"]?.int ?? 0) dead letters" }
          var table = TextTable(head: ["LETTER", "PATH", "ATTEMPTS", "REASON"])
          for letter in answer["letters"]?.array ?? [] {
            table.add([
              letter["letter"]?.string ?? "", letter["path"]?.string ?? letter["user"]?.string ?? "",
              "\(letter["attempts"]?.int ?? 0)",
              letter["reason"]?.string ?? "",
            ])
          }
          return table.text
        }
      }
    }
  }

  /// The command `hearth triggers replay`.
  struct Replay: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send dead letters again, with their event ids.",
      discussion: "Without --letter, sends as many as one request allows, oldest first; repeat the command for more.")

    @OptionGroup var named: NamedTrigger

    @Option(help: ArgumentHelp("Only this dead letter, by its id in hearth triggers dead.", valueName: "letter"))
    var letter: String?

    func run() async throws {
      try await named.server.run { client in
        let path = "/\(PercentEncoding.encode(named.name))/replay.json"
        let answer = try await client.send(.POST, path, letter.map { ["letter": .string($0)] } ?? [:])
        client.report(answer) { "\(answer["replayed"]?.int ?? 0) events are waiting again" }
      }
    }
  }

  /// The command `hearth triggers remove`.
  struct Remove: AsyncParsableCommand, WritingCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a trigger. Its waiting events become dead letters.")

    @OptionGroup var named: NamedTrigger

    func run() async throws {
      try await named.server.run { client in
        let answer = try await client.send(.DELETE, named.path)
        client.report(answer) { "removed \(named.name)" }
      }
    }
  }
}

/// The argument for the trigger of a command.
struct NamedTrigger: ParsableArguments {
  @Argument(help: ArgumentHelp("The trigger's name.", valueName: "name"))
  var name: String

  @OptionGroup var server: TriggersServer

  var path: String { "/\(PercentEncoding.encode(name)).json" }
}
