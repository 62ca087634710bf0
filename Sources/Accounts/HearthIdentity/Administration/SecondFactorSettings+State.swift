import HearthAccounts

extension SecondFactorSettings.Policy {
  /// The policy's name in Identity Platform's configuration.
  var state: String {
    switch self {
    case .off: "DISABLED"
    case .optional: "ENABLED"
    case .required: "MANDATORY"
    }
  }

  /// Parses Identity Platform's name; nil for another text.
  init?(state: String) {
    guard let policy = Self.allCases.first(where: { $0.state == state }) else { return nil }
    self = policy
  }
}
