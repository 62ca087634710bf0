import ArgumentParser
import HearthCrypto
import HearthProgram
import HearthTree
import HearthTriggers
import NIOHTTP1

/// The command `hearth triggers add`.
struct TriggersAdd: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Send the events of writes or of accounts to a URL or a plugin.",
    discussion: """
      Each write that changes the value at a matching path makes one event. The event is durable together with the \
      write, and is sent at least once, in order for each path:

        hearth triggers add new-message --path '/rooms/{room}/messages/{id}' --on create --url http://127.0.0.1:8081

      With --user instead of --path and --on, the events are created or deleted accounts. With --plugin instead of \
      --url, they go to an installed plugin with the hook onWrite.

      A trigger with the same name is replaced and keeps its events. A URL of this machine can be http://; other \
      private addresses need --allow-private. With --new-secret, requests are signed with Standard Webhooks, and the \
      secret is printed only once.
      """)

  @Argument(help: ArgumentHelp("The trigger's name: letters, digits, -, _ and .", valueName: "name"))
  var name: String

  @Option(help: ArgumentHelp("The path of the writes; {name} matches any key.", valueName: "pattern"))
  var path: String?

  @Option(help: "The kind of writes: create, update, delete, or write for all three.")
  var on: TriggerEventType?

  @Option(help: "The event of accounts: created or deleted.")
  var user: UserEventType?

  @Option(help: ArgumentHelp("The URL that receives the events, by POST.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("The plugin that receives the events.", valueName: "name"))
  var plugin: String?

  @Option(
    help: """
      The form of events: cloudevent for second-generation and Python functions, gen1 for first-generation functions, \
      or webhook. (default: cloudevent; a plugin always gets webhook)
      """)
  var form: EventForm?

  @Option(
    help: ArgumentHelp(
      "The databases: a name, or a pattern such as demo-*. (default: all)", valueName: "names"))
  var databases: String?

  @Flag(help: "Also retry when the handler failed, not only when it was not reached.")
  var retry = false

  @Option(
    help: ArgumentHelp(
      "A file with the secrets that sign requests, whsec_… one on each line; each secret adds a signature.",
      valueName: "file"))
  var secretFile: String?

  @Flag(help: "Make a secret to sign requests, and print it.")
  var newSecret = false

  @Option(help: ArgumentHelp("The time limit of a handler.", valueName: "seconds"))
  var timeout = TriggerLimits.timeoutSeconds

  @Option(help: ArgumentHelp("The maximum number of events under way. (default: 8; 1 with gen1)", valueName: "count"))
  var concurrency: Int?

  @Option(help: ArgumentHelp("How long to retry an event, from its write.", valueName: "seconds"))
  var window = TriggerLimits.windowSeconds

  @Option(help: ArgumentHelp("The region that events name as their source.", valueName: "name"))
  var location = "us-central1"

  @Flag(help: "Allow a receiver at a private address and without TLS.")
  var allowPrivate = false

  @OptionGroup var server: TriggersServer

  func validate() throws {
    do { _ = try TriggerDefinition(members(secrets: [])) } catch {
      throw ValidationError("\(error.description).")
    }
  }

  private func members(secrets: [WebhookSecret]) -> JSON {
    let texts: [(name: String, text: String?)] = [
      ("databases", databases), ("path", path), ("on", on?.rawValue), ("user", user?.rawValue), ("url", url),
      ("plugin", plugin), ("form", form?.rawValue),
    ]
    var members: JSON = ["name": .string(name)]
    for (name, text) in texts { if let text { members[name] = .string(text) } }
    members = members.appending([
      "retry": .bool(retry), "timeoutSeconds": .int(Int64(timeout)), "windowSeconds": .int(Int64(window)),
      "location": .string(location), "allowsPrivate": .bool(allowPrivate),
      "secrets": .array(secrets.map { .string($0.text) }),
    ])
    if let concurrency { members["concurrency"] = .int(Int64(concurrency)) }
    return members
  }

  func run() async throws {
    var secrets = try secretFile.map { try WebhookSecret.secrets(inFile: $0) } ?? []
    var made: WebhookSecret?
    if newSecret {
      let secret = try WebhookSecret(random: .system)
      secrets.append(secret)
      made = secret
    }
    try await server.run { [secrets, made] client in
      let answer = try await client.send(.POST, ".json", members(secrets: secrets))
      guard let made else { return client.report(answer) { "registered \(name)" } }
      let shown = answer.appending(["newSecret": .string(made.text)])
      client.report(shown) { "registered \(name)\nsecret: \(made.text)" }
    }
  }
}

extension TriggerEventType: ExpressibleByArgument {}
extension UserEventType: ExpressibleByArgument {}
extension EventForm: ExpressibleByArgument {}
