import HearthTree

/// The connections to a node's port that have not greeted, by where they come from.
///
/// Each is counted before its TLS. The addresses of the cluster's nodes have places of their own, so that strangers cannot
/// keep them out. Of all others there is a number in all, and one for each network; a further one takes the place of the
/// oldest, of its own network when that has as many as it may, else of the network that has most. What takes its place has
/// as long for its greeting as any other, so a node behind an address that is not known gets through too.
struct StrangerTable<ID: Hashable> {
  private struct Stranger {
    var id: ID
    var network: NetworkPrefix
    var isPeer: Bool
  }

  private let limits: LinkLimits
  /// The oldest first.
  private var strangers: [Stranger] = []
  /// The networks of the cluster's nodes.
  private var peers: Set<NetworkPrefix> = []

  init(limits: LinkLimits) { self.limits = limits }

  var count: Int { strangers.count }

  /// The addresses at which the cluster's nodes are, as far as they are known.
  mutating func setPeers(_ networks: Set<NetworkPrefix>) {
    peers = networks
    for index in strangers.indices { strangers[index].isPeer = networks.contains(strangers[index].network) }
  }

  /// A connection came in.
  ///
  /// - Parameter network: an IPv4 address, or a /64.
  /// - Returns: the connection that has to be closed for it; nil when there is room.
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

  /// The connection has greeted, or is over.
  mutating func remove(_ id: ID) { strangers.removeAll { $0.id == id } }
}
