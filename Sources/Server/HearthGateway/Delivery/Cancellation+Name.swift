import HearthEngine

extension Cancellation {
  /// The cause of the cancellation, in one word.
  var name: String {
    switch self {
    case .data: "data"
    case .rules: "rules"
    case .identity: "identity"
    case .expiry: "expiry"
    case .revocation: "revocation"
    case .clock: "clock"
    }
  }
}
