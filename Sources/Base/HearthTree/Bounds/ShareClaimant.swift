/// A client, as ``FairShareLimit`` counts it.
package struct ShareClaimant: Sendable, Hashable {
  /// The client for whose request the current task works; nil for the server's own work.
  @TaskLocal package static var current: ShareClaimant?

  /// A signed-in user; nil when signed out.
  package var account: String?
  /// The network that the client comes from, behind trusted proxies; nil when it is unknown.
  package var network: NetworkPrefix?
  /// True for an administrator, who is not limited by shares and may use the part that is reserved for administrators.
  package var isAdministrator: Bool

  /// Creates a claimant.
  package init(account: String? = nil, network: NetworkPrefix? = nil, isAdministrator: Bool = false) {
    (self.account, self.network, self.isAdministrator) = (account, network, isAdministrator)
  }
}
