import HearthTree

/// The connections to a node's port that have sent no hello, by network.
///
/// Each is counted before its TLS. The addresses of the cluster's nodes have their own limits, so that strangers cannot
/// keep them out. All others share a total limit and one for each network; a further connection replaces the oldest, of
/// its own network when that is at its limit, else of the network that has most. The replacing connection has as long
/// for its hello as any other, so a node behind an unknown address gets through too.
struct StrangerTable<ID: Hashable> {
  private struct Stranger {
    var id: ID
    var network: NetworkPrefix
    var isPeer: Bool
  }

  private let limits: LinkLimits
  /// The connections, the oldest first.
  private var strangers: [Stranger] = []
  /// The networks of the cluster's nodes.
  private var peers: Set<NetworkPrefix> = []

  init(limits: LinkLimits) { self.limits = limits }

  var count: Int { strangers.count }

  /// Sets the known addresses of the cluster's nodes.
  mutating func setPeers(_ networks: Set<NetworkPrefix>) {
    peers = networks
    for index in strangers.indices { strangers[index].isPeer = networks.contains(strangers[index].network) }
  }

  /// Adds an accepted connection.
  ///
  /// - Parameter network: An IPv4 address, or a /64.
  /// - Returns: The connection that has to be closed for it; nil when there is room.
  mutating func insert(_ id: ID, from network: NetworkPrefix) -> ID? {
    let isPeer = peers.contains(network)
    defer { strangers.append(Stranger(id: id, network: network, isPeer: isPeer)) }
    return removeOne(for: network, isPeer: isPeer)
  }

  private mutating func removeOne(for network: NetworkPrefix, isPeer: Bool) -> ID? {
    let wide = network.widest
    if isPeer {
      let count = strangers.count { $0.network == network }
      return count < limits.strangersPerPeerMax ? nil : removeFirst { $0.network == network }
    }
    let others = strangers.filter { !$0.isPeer }
    if others.count(where: { $0.network.widest == wide }) >= limits.strangersPerNetworkMax {
      return removeFirst { !$0.isPeer && $0.network.widest == wide }
    }
    guard others.count >= limits.strangersMax else { return nil }
    var counts: [NetworkPrefix: Int] = [:]
    for other in others { counts[other.network.widest, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    return removeFirst { !$0.isPeer && counts[$0.network.widest] == most }
  }

  private mutating func removeFirst(_ isIt: (Stranger) -> Bool) -> ID? {
    strangers.firstIndex(where: isIt).map { strangers.remove(at: $0).id }
  }

  /// Removes a connection that has sent its hello or ended.
  mutating func remove(_ id: ID) { strangers.removeAll { $0.id == id } }
}
