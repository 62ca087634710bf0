import ArgumentParser
import HearthPlugin
import HearthProgram
import HearthTree

/// The command `hearth plugins send-sms`.
struct PluginsSendSMS: AsyncParsableCommand, WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "send-sms",
    abstract: "Send a text message through the running server, to test the SMS plugin.",
    discussion: """
      The plugin that answers sendSMS is asked as it is for every message: again and again for up to a minute while it \
      cannot. The command waits for what comes of it.
      """)

  @Option(help: ArgumentHelp("The phone, as +15555550100.", valueName: "number"))
  var to: String

  @Option(help: ArgumentHelp("What it is sent.", valueName: "text"))
  var text = "This is a test of text messages."

  @OptionGroup var options: PluginsOptions

  func validate() throws {
    guard SMSMessage(kind: .test, to: to, text: text) != nil else {
      throw ValidationError("--to is + and 8 to 15 digits; --text has 1 to \(SMSMessage.textBytesMax) bytes.")
    }
  }

  func run() async throws {
    let sms: JSON = ["to": .string(to), "text": .string(text)]
    guard let answer = try await options.post(["sms": sms]) else {
      throw AdminFailure("no server runs on \(try options.data.path())")
    }
    let problem = answer["problem"]?.string.map(TextTable.printable)
    if options.json {
      Output.json(answer)
    } else {
      Output.line(problem.map { "not sent: \($0)" } ?? "sent")
    }
    if problem != nil { throw ExitCode.failure }
  }
}
