import ArgumentParser
import HearthBuiltIns
import HearthServer

/// The flags that say how accounts work.
struct AccountsFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The accounts configuration, a JSON file: ways to sign in, mail, limits, password rules. Commands on a stopped \
      folder use the file that it was last served with.
      """, valueName: "file"))
  var authConfig: String?

  @Option(
    help: ArgumentHelp(
      "Ways to sign in, separated by commas, instead of \"signIn\" in the file; none switches all off. Known here: "
        + BuiltInPlugins.signInText + ".",
      valueName: "names"))
  var signIn: String?

  @OptionGroup var projectOption: ProjectOption

  @Option(
    help: ArgumentHelp(
      "The origin in links of mails and in service-account files, such as https://auth.example.com.",
      valueName: "url"))
  var publicUrl: String?

  func validate() throws {
    if let publicUrl, ServerAddress(argument: publicUrl) == nil {
      throw ValidationError("--public-url must be an origin such as https://auth.example.com.")
    }
  }
}
