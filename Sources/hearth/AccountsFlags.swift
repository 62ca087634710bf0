import ArgumentParser
import HearthServer

/// Which accounts a command serves or opens.
struct AccountsFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A JSON file that says how accounts work: ways to sign in, mail, limits, password rules. Commands on a stopped \
      folder go by the one that it was last served with.
      """, valueName: "file"))
  var authConfig: String?

  @Option(
    help: ArgumentHelp(
      "Ways to sign in, as a short form of the file: such as password,anonymous,custom-token; none for none at all.",
      valueName: "names"))
  var signIn: String?

  @OptionGroup var projectOption: ProjectOption

  @Option(
    help: ArgumentHelp(
      "The origin that links in mails and service-account files name, such as https://auth.example.com.",
      valueName: "url"))
  var publicUrl: String?

  func validate() throws {
    if let publicUrl, ServerAddress(argument: publicUrl) == nil {
      throw ValidationError("--public-url must be an origin such as https://auth.example.com.")
    }
  }
}

/// Which project tokens belong to.
struct ProjectOption: ParsableArguments {
  @Option(help: ArgumentHelp("The project that tokens are made for and checked against.", valueName: "id"))
  var project: String?

  func validate() throws {
    guard let project, !Self.isProjectID(project) else { return }
    throw ValidationError("--project must be 1 to 64 lower-case letters, digits, - and ., such as my-app.")
  }

  private static func isProjectID(_ text: String) -> Bool {
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
