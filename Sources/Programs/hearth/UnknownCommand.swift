import ArgumentParser
import HearthBytes

/// A word in the place of a command that is none.
struct UnknownCommand: CustomStringConvertible {
  let description: String

  /// Finds the word; nil when the command line begins with a command, or with an option.
  init?(_ arguments: [String], below root: any ParsableCommand.Type) {
    var (command, path) = (root, [root._commandName])
    for word in arguments {
      let below = command.configuration.subcommands
      guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      if let next = below.first(where: { $0._commandName == word }) {
        command = next
        path.append(word)
        continue
      }
      // A command that does something by itself takes words of its own.
      guard command.configuration.defaultSubcommand == nil else { return nil }
      let names = below.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
      let line = path.joined(separator: " ")
      description =
        "\(line) has no command '\(word)'.\(Suggestion.sentence(word, among: names)) See '\(line) --help'."
      return
    }
    return nil
  }
}
