/// For which addresses a provider's word counts that they are the caller's.
///
/// A provider that proved an address once knows nothing of who has it today; only who gives the addresses out does. An
/// account is handed over on that word, so a provider is believed for its own domains and for those that the operator
/// names.
struct EmailAuthority: Sendable, Equatable {
  var domains: Set<String> = []
  /// The operator believes the provider for every address.
  var isUniversal = false
  /// Google names the organisation's domain in `hd` when it manages the account.
  var honoursHostedDomain = false

  static let google = EmailAuthority(domains: ["gmail.com", "googlemail.com"], honoursHostedDomain: true)
  static let apple = EmailAuthority(domains: ["icloud.com", "me.com", "mac.com", "privaterelay.appleid.com"])

  /// - Parameter names: domains; `*` is every one.
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
