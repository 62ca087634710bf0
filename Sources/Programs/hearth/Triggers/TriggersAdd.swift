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
      Every write that changes the value at a place that matches makes one event, durable together with the write, and \
      sent at least once, in order for each place:

        hearth triggers add new-message --path '/rooms/{room}/messages/{id}' --on create --url http://127.0.0.1:8081

      With --user instead of --path and --on the events are of accounts that are made or deleted. With --plugin instead of \
      --url they go to an installed plugin that has the hook onWrite.

      A trigger of the same name is replaced and goes on with its events. A URL that names this machine may be http://; \
      other private addresses need --allow-private. With --new-secret requests are signed by the Standard Webhooks \
      scheme, and the secret is printed this once.
      """)

  @Argument(help: ArgumentHelp("A name for it: letters, digits, -, _ and .", valueName: "name"))
  var name: String

  @Option(help: ArgumentHelp("The places, with {name} for any key.", valueName: "pattern"))
  var path: String?

  @Option(help: "What happens there: create, update, delete, or write for all three.")
  var on: TriggerEventType?

  @Option(help: "What happens to an account: created or deleted.")
  var user: UserEventType?

  @Option(help: ArgumentHelp("Where events are posted to.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("The plugin that takes them.", valueName: "name"))
  var plugin: String?

  @Option(
    help: """
      cloudevent for functions of the second generation and in Python, gen1 for the first, or webhook. (default: \
      cloudevent; for a plugin always webhook)
      """)
  var form: EventForm?

  @Option(
    help: ArgumentHelp(
      "The databases: a name, or a form of names such as demo-*. (default: all)", valueName: "names"))
  var databases: String?

  @Flag(help: "Send an event again when its handler failed, and not only when it was not reached.")
  var retry = false

  @Option(
    help: ArgumentHelp(
      "A file with secrets that requests are signed with, whsec_… one on each line; all of them count.",
      valueName: "file"))
  var secretFile: String?

  @Flag(help: "Make a secret, and print it.")
  var newSecret = false

  @Option(help: ArgumentHelp("How long a handler may take.", valueName: "seconds"))
  var timeout = TriggerLimits.timeoutSeconds

  @Option(help: ArgumentHelp("Events under way at most. (default: 8, with gen1 1)", valueName: "count"))
  var concurrency: Int?

  @Option(help: ArgumentHelp("How long an event is tried, from its write on.", valueName: "seconds"))
  var window = TriggerLimits.windowSeconds

  @Option(help: ArgumentHelp("The region that events are said to come from.", valueName: "name"))
  var location = "us-central1"

  @Flag(help: "The receiver may be at a private address, and be reached without TLS.")
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
