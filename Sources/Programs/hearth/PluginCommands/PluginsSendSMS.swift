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
      Sends the message like any other, with retries for up to a minute, through the plugin with the hook sendSMS. \
      Prints the result.
      """)

  @Option(help: ArgumentHelp("The phone number, such as +15555550100.", valueName: "number"))
  var to: String

  @Option(help: ArgumentHelp("The text of the message.", valueName: "text"))
  var text = "This is a test of text messages."

  @OptionGroup var options: PluginsOptions

  func validate() throws {
    guard SMSMessage(kind: .test, to: to, text: text) != nil else {
      throw ValidationError("--to must be + and 8 to 15 digits, and --text 1 to \(SMSMessage.textBytesMax) bytes.")
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
