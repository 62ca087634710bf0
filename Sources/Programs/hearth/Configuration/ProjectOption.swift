import ArgumentParser

/// The option for the project of tokens.
struct ProjectOption: ParsableArguments {
  static let help = ArgumentHelp("The project id in tokens.", valueName: "id")

  static let aliasHelp = ArgumentHelp(
    "The project id in tokens, or its alias in .firebaserc.",
    valueName: "id or alias")

  @Option(help: ProjectOption.help) var project: String?

  func validate() throws {
    if let project { try Self.validate(project) }
  }

  /// - Throws: ``ValidationError`` when `--project` is no valid id.
  static func validate(_ project: String) throws {
    guard !isProjectID(project) else { return }
    throw ValidationError("--project must be 1 to 64 lower-case letters, digits, - and ., such as my-app.")
  }

  /// Returns true when the text is a valid project id.
  static func isProjectID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
