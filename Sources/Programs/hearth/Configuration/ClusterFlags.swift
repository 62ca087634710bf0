import ArgumentParser
import HearthServer

/// The flags that make a server a node of a cluster.
struct ClusterFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The \(JournalEngines.products) that the nodes of a cluster share, as for --journal. Each database has one owner \
      node; another node replaces a failed owner. Every node serves every client.
      """,
      valueName: "url"))
  var cluster: String?

  @Option(
    help: ArgumentHelp("The name of this node and its address for the other nodes.", valueName: "name=host:port"))
  var node: String?

  @Option(
    help: ArgumentHelp("Another node of the cluster; may be given several times.", valueName: "name=host:port"))
  var peer: [String] = []

  @Option(
    help: ArgumentHelp(
      "The folder with the certificate of this node, which hearth cluster init creates.",
      valueName: "folder"))
  var clusterIdentity: String?

  @Flag(help: "Own no database: this node serves clients and forwards their requests to the owners.")
  var edge = false

  /// - Parameter journal: The value of `--journal`.
  func validate(beside journal: String?) throws {
    guard let cluster else {
      guard node == nil, peer.isEmpty, clusterIdentity == nil, !edge else {
        throw ValidationError("--node, --peer, --cluster-identity and --edge need --cluster.")
      }
      return
    }
    guard journal == nil else {
      throw ValidationError("--cluster and --journal exclude each other: --cluster sets the journal.")
    }
    do { _ = try JournalLocation(url: cluster) } catch { throw ValidationError("--cluster: \(error).") }
    guard let node, HearthServer.ClusterOptions.NodeAddress(node) != nil else {
      throw ValidationError("--node must be this node's name and address, such as a=10.0.0.1:9100.")
    }
    for other in peer where HearthServer.ClusterOptions.NodeAddress(other) == nil {
      throw ValidationError("--peer must be a node's name and address, such as b=10.0.0.2:9100, not \"\(other)\".")
    }
    let names = ([node] + peer).compactMap { HearthServer.ClusterOptions.NodeAddress($0)?.name }
    guard Set(names).count == names.count else {
      throw ValidationError("--node and --peer must name each node once: \(names.joined(separator: ", ")).")
    }
    guard clusterIdentity != nil else {
      throw ValidationError(
        "--cluster-identity is missing: the folder with this node's certificate, which hearth cluster init creates.")
    }
  }

  /// The options of a node; nil for a single server.
  var options: HearthServer.ClusterOptions? {
    guard cluster != nil, let address = node.flatMap({ HearthServer.ClusterOptions.NodeAddress($0) }),
      let clusterIdentity
    else { return nil }
    var options = HearthServer.ClusterOptions(
      node: address, peers: peer.compactMap { HearthServer.ClusterOptions.NodeAddress($0) },
      identityFolder: clusterIdentity)
    options.ownsNothing = edge
    return options
  }
}
