import ArgumentParser
import HearthRules

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Work with security rules files.", subcommands: [Check.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check a rules file without a server.",
      discussion: "Prints every mistake with its place. Ends with 0 when the file can be deployed and with 1 when not.")

    @Argument(help: ArgumentHelp("The rules file.", valueName: "file"))
    var file: String

    func run() throws {
      let text = try TextFile.read(file)
      do {
        _ = try RuleSet.compile(text)
        print("\(file): ok")
      } catch {
        print(error.rendered(file: file))
        throw ExitCode.failure
      }
    }
  }
}
