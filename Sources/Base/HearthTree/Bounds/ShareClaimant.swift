/// A client as shared bounds count it.
package struct ShareClaimant: Sendable, Hashable {
  /// The client whose request a task works for; nil for the server's own work.
  @TaskLocal package static var current: ShareClaimant?

  /// A signed-in user; nil when signed out.
  package var account: String?
  /// The network that the client comes from, behind trusted proxies; nil when it is not known here.
  package var network: NetworkPrefix?
  /// True for an administrator: has no share and may use the last part of the bound.
  package var isAdministrator: Bool

  /// Makes a claimant.
  package init(account: String? = nil, network: NetworkPrefix? = nil, isAdministrator: Bool = false) {
    (self.account, self.network, self.isAdministrator) = (account, network, isAdministrator)
  }
}
