extension MetricDescription {
  /// The node's lease.
  public static let clusterLease = MetricDescription(
    "hearth_cluster_lease_up", .gauge,
    "1 while the node's lease is valid, 0 while other nodes may take over its databases.")
  /// Connected nodes of the cluster.
  public static let clusterConnections = MetricDescription(
    "hearth_cluster_connected_nodes", .gauge, "Other nodes that this node is connected to.")
  /// The databases that this node owns or follows.
  public static let clusterOwned = MetricDescription(
    "hearth_cluster_owned", .gauge, labels: ["journal"],
    "1 if this node owns the database or the accounts, 0 if it follows them.")
  /// The databases that are served.
  public static let clusterServed = MetricDescription(
    "hearth_cluster_served", .gauge, labels: ["journal"],
    "1 while the node's state of the database is recent enough for clients, 0 while it refuses them.")
  /// The age of a database's replica on this node.
  public static let clusterReplicaAge = MetricDescription(
    "hearth_cluster_age_seconds", .gauge, labels: ["journal"],
    "Replication lag: age of the time up to which the node has all commits of a database.")
  /// Clients of all nodes.
  public static let clusterSessions = MetricDescription(
    "hearth_cluster_sessions", .gauge, labels: ["journal"],
    "Connections of all nodes that wrote to a database or have onDisconnect writes.")
  /// The nodes that follow a database of this one.
  public static let clusterFollowers = MetricDescription(
    "hearth_cluster_followers", .gauge, labels: ["journal"], "Other nodes that follow a database that this node owns.")
  /// Changes of owners.
  public static let clusterTakeovers = MetricDescription(
    "hearth_cluster_takeovers_total", .counter, "Number of times that this node became the owner of a database.")
  /// Lost ownerships.
  public static let clusterOwnershipEnds = MetricDescription(
    "hearth_cluster_ownership_ends_total", .counter,
    "Number of times that this node gave up or lost the ownership of a database.")
  /// Losses of acknowledged commits.
  public static let clusterDataLosses = MetricDescription(
    "hearth_cluster_data_losses_total", .counter,
    "Number of times that PostgreSQL had lost acknowledged commits of a database.")

  static let ofCluster: [MetricDescription] = [
    clusterLease, clusterConnections, clusterOwned, clusterServed, clusterReplicaAge, clusterSessions, clusterFollowers,
    clusterTakeovers, clusterOwnershipEnds, clusterDataLosses,
  ]
}
