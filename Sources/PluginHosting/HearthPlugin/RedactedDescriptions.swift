// Values with credentials or mailed codes show none of them when printed or dumped, by themselves or within another
// value.

extension SignInRequest: CustomStringConvertible, CustomReflectable {
  /// The request's id, provider, method and operation; none of its parameters.
  public var description: String { "<SignInRequest \(id): \(providerID), \(method.rawValue), \(operation.rawValue)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ConfiguredIssuer: CustomStringConvertible, CustomReflectable {
  /// The issuer's id; no secret.
  public var description: String { "<ConfiguredIssuer \(id)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PasswordProof: CustomStringConvertible, CustomReflectable {
  /// The type's name; no address and no password.
  public var description: String { "<PasswordProof>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PasswordCheck: CustomStringConvertible, CustomReflectable {
  /// The request's id; no address and no password.
  public var description: String { "<PasswordCheck \(id)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension EmailCodeProof: CustomStringConvertible, CustomReflectable {
  /// The type's name; no address and no code.
  public var description: String { "<EmailCodeProof>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HookCredential: CustomStringConvertible, CustomReflectable {
  /// The type's name; no profile and no token.
  public var description: String { "<HookCredential>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
  /// The mail's kind; no address and no link.
  public var description: String { "<MailMessage \(kind.rawValue)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SettingsReader: CustomStringConvertible, CustomReflectable {
  /// The place of the settings; none of their values.
  public var description: String { "<SettingsReader of \(place)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PluginSettings: CustomStringConvertible, CustomReflectable {
  /// The project; none of the settings' values.
  public var description: String { "<PluginSettings of \(projectID)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PluginChoice: CustomStringConvertible, CustomReflectable {
  /// The plugin's name; none of its settings' values.
  public var description: String { "<PluginChoice \(name)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
