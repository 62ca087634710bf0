import HearthAccounts

extension SecondFactorSettings.Policy {
  /// As the service's configuration calls it.
  var state: String {
    switch self {
    case .off: "DISABLED"
    case .optional: "ENABLED"
    case .required: "MANDATORY"
    }
  }

  /// Nil for another word.
  init?(state: String) {
    guard let policy = Self.allCases.first(where: { $0.state == state }) else { return nil }
    self = policy
  }
}
