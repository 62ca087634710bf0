import HearthTree

/// The connections to a node's port that have sent no hello, by network.
///
/// Each is counted before its TLS handshake. The addresses of the cluster's nodes have their own limits, so that other
/// hosts cannot keep nodes from connecting. All others share a total limit and one for each network; a further
/// connection replaces the oldest, of its own network when that is at its limit, otherwise of the network that has
/// most. The new connection has the usual time for its hello, so that a node with an unknown address can connect as
/// well.
struct UnidentifiedConnections<ID: Hashable> {
  private struct Connection {
    var id: ID
    var network: NetworkPrefix
    var isPeer: Bool
  }

  private let limits: LinkLimits
  /// The connections, the oldest first.
  private var unidentified: [Connection] = []
  /// The networks of the cluster's nodes.
  private var peers: Set<NetworkPrefix> = []

  init(limits: LinkLimits) { self.limits = limits }

  var count: Int { unidentified.count }

  /// Sets the known addresses of the cluster's nodes.
  mutating func setPeers(_ networks: Set<NetworkPrefix>) {
    peers = networks
    for index in unidentified.indices { unidentified[index].isPeer = networks.contains(unidentified[index].network) }
  }

  /// Adds an accepted connection.
  ///
  /// - Parameter network: An IPv4 address, or a /64.
  /// - Returns: The connection that must be closed in exchange; nil when the limits are not reached.
  mutating func insert(_ id: ID, from network: NetworkPrefix) -> ID? {
    let isPeer = peers.contains(network)
    defer { unidentified.append(Connection(id: id, network: network, isPeer: isPeer)) }
    return removeOne(for: network, isPeer: isPeer)
  }

  private mutating func removeOne(for network: NetworkPrefix, isPeer: Bool) -> ID? {
    let wide = network.widest
    if isPeer {
      let count = unidentified.count { $0.network == network }
      return count < limits.unidentifiedPerPeerMax ? nil : removeFirst { $0.network == network }
    }
    let others = unidentified.filter { !$0.isPeer }
    if others.count(where: { $0.network.widest == wide }) >= limits.unidentifiedPerNetworkMax {
      return removeFirst { !$0.isPeer && $0.network.widest == wide }
    }
    guard others.count >= limits.unidentifiedMax else { return nil }
    var counts: [NetworkPrefix: Int] = [:]
    for other in others { counts[other.network.widest, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    return removeFirst { !$0.isPeer && counts[$0.network.widest] == most }
  }

  private mutating func removeFirst(_ isIt: (Connection) -> Bool) -> ID? {
    unidentified.firstIndex(where: isIt).map { unidentified.remove(at: $0).id }
  }

  /// Removes a connection that has sent its hello or ended.
  mutating func remove(_ id: ID) { unidentified.removeAll { $0.id == id } }
}
