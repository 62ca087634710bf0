/// A plugin that a folder of `Plugins/` builds into the program: the value of its module's one public constant,
/// `builtIn`.
///
/// The program's list of plugins is made of these constants at build time, one for each folder that exists.
public enum BuiltInPlugin: Sendable {
  /// Ways to sign in.
  case signIn(any SignInPlugin.Type)
  /// A plugin that sends mail.
  case mailer(any MailerPlugin.Type)
  /// A plugin that sends text messages.
  case smsSender(any SMSPlugin.Type)
}
