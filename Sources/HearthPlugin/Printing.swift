// What holds credentials or mailed codes shows none of them when it is printed or dumped, by itself or as part of
// another value.

extension SignInRequest: CustomStringConvertible, CustomReflectable {
  public var description: String { "<SignInRequest \(id): \(providerID), \(method.rawValue), \(operation.rawValue)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PasswordProof: CustomStringConvertible, CustomReflectable {
  public var description: String { "<PasswordProof>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension EmailCodeProof: CustomStringConvertible, CustomReflectable {
  public var description: String { "<EmailCodeProof>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MailMessage: CustomStringConvertible, CustomReflectable {
  public var description: String { "<MailMessage \(kind.rawValue)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SettingsReader: CustomStringConvertible, CustomReflectable {
  public var description: String { "<SettingsReader of \(place)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PluginSettings: CustomStringConvertible, CustomReflectable {
  public var description: String { "<PluginSettings of \(projectID)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PluginChoice: CustomStringConvertible, CustomReflectable {
  public var description: String { "<PluginChoice \(name)>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
