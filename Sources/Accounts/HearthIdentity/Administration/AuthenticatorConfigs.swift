import HearthAccounts
import HearthTree

/// Identity Platform's `providerConfigs` for second factors other than phones. The only kind is an authenticator with time-based
/// codes.
struct AuthenticatorConfigs {
  var isOn: Bool
  /// The accepted adjacent intervals; nil when absent.
  var adjacentIntervals: Int64?

  /// - Parameter name: the name of the enclosing member.
  /// - Throws: `invalidArgument` for values that no admin SDK would send.
  static func read(_ configs: JSON, at name: String) throws(AccountError) -> AuthenticatorConfigs {
    guard let list = configs.array, list.count <= 1 else {
      throw AccountError(.invalidArgument, "\(name).providerConfigs must be an array of at most one, for TOTP")
    }
    guard let config = list.first else { return AuthenticatorConfigs(isOn: false) }
    let range = SecondFactorSettings.adjacentIntervalsRange
    guard let totp = config["totpProviderConfig"], totp.members != nil,
      let state = config["state"]?.string, ["DISABLED", "ENABLED"].contains(state)
    else {
      throw AccountError(
        .invalidArgument,
        "\(name).providerConfigs has { state: \"ENABLED\" or \"DISABLED\", totpProviderConfig: { adjacentIntervals: "
          + "\(range.lowerBound) to \(range.upperBound) } }; \(name).state says if a second factor is required")
    }
    guard let said = totp["adjacentIntervals"], said != .null else {
      return AuthenticatorConfigs(isOn: state == "ENABLED")
    }
    guard let intervals = said.int, range.contains(intervals) else {
      throw AccountError(
        .invalidArgument,
        "\(name).providerConfigs: adjacentIntervals must be a whole number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return AuthenticatorConfigs(isOn: state == "ENABLED", adjacentIntervals: intervals)
  }

  /// The form in responses, with the number of intervals.
  var json: JSON {
    let said = isOn ? adjacentIntervals : nil
    let intervals = said.map { [JSON.Member("adjacentIntervals", .int($0))] } ?? []
    return .array([
      .object([
        JSON.Member("state", .string(isOn ? "ENABLED" : "DISABLED")),
        JSON.Member("totpProviderConfig", .object(intervals)),
      ])
    ])
  }
}
