/// The addresses for which a provider's verification is trusted.
///
/// A provider that verified an address once does not know its present owner; only the operator of its domain does.
/// Because an account is handed over on that claim, a provider is trusted for its own domains and for those that the
/// operator names.
struct EmailAuthority: Sendable, Equatable {
  var domains: Set<String> = []
  /// True when the operator trusts the provider for every address.
  var isUniversal = false
  /// True for Google, which names the organisation's domain in `hd` when it manages the account.
  var honoursHostedDomain = false

  static let google = EmailAuthority(domains: ["gmail.com", "googlemail.com"], honoursHostedDomain: true)
  static let apple = EmailAuthority(domains: ["icloud.com", "me.com", "mac.com", "privaterelay.appleid.com"])

  /// Returns this authority with additional domains.
  ///
  /// - Parameter names: The domains; `*` stands for all domains.
  func extended(with names: [String]) -> EmailAuthority {
    var extended = self
    for name in names {
      if name == "*" { extended.isUniversal = true } else { extended.domains.insert(name.lowercased()) }
    }
    return extended
  }

  func covers(_ email: String, hostedDomain: String? = nil) -> Bool {
    if isUniversal { return true }
    guard let at = email.lastIndex(of: "@") else { return false }
    let domain = email[email.index(after: at)...].lowercased()
    return domains.contains(domain) || (honoursHostedDomain && hostedDomain?.lowercased() == domain)
  }
}
