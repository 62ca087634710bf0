extension MetricDescription {
  /// The node's lease.
  public static let clusterLease = MetricDescription(
    "hearth_cluster_lease_up", .gauge, "1 while the node believes in its lease, 0 while others may take what it owns.")
  /// Connected nodes of the cluster.
  public static let clusterConnections = MetricDescription(
    "hearth_cluster_connected_nodes", .gauge, "Other nodes that this one has a connection to.")
  /// The databases that this node owns or follows.
  public static let clusterOwned = MetricDescription(
    "hearth_cluster_owned", .gauge, labels: ["journal"],
    "1 for a database, or the accounts, that this node owns, 0 for one that it follows.")
  /// The databases that are served.
  public static let clusterServed = MetricDescription(
    "hearth_cluster_served", .gauge, labels: ["journal"],
    "1 while what the node has of a database is new enough for its clients, 0 while it takes none.")
  /// The age of a database's replica on this node.
  public static let clusterReplicaAge = MetricDescription(
    "hearth_cluster_age_seconds", .gauge, labels: ["journal"],
    "Age of the moment up to which the node lacks no commit of a database.")
  /// Clients of all nodes.
  public static let clusterSessions = MetricDescription(
    "hearth_cluster_sessions", .gauge, labels: ["journal"],
    "Connections of all nodes that wrote to a database, or want something done at their end.")
  /// The nodes that follow a database of this one.
  public static let clusterFollowers = MetricDescription(
    "hearth_cluster_followers", .gauge, labels: ["journal"], "Other nodes that follow a database that this one owns.")
  /// Changes of owners.
  public static let clusterTakeovers = MetricDescription(
    "hearth_cluster_takeovers_total", .counter, "How often this node became the owner of a database.")
  /// Lost ownerships.
  public static let clusterOwnershipEnds = MetricDescription(
    "hearth_cluster_ownership_ends_total", .counter,
    "How often this node gave up or lost the ownership of a database.")
  /// Losses of acknowledged commits.
  public static let clusterDataLosses = MetricDescription(
    "hearth_cluster_data_losses_total", .counter,
    "How often PostgreSQL lacked commits of a database that it had acknowledged.")

  static let ofCluster: [MetricDescription] = [
    clusterLease, clusterConnections, clusterOwned, clusterServed, clusterReplicaAge, clusterSessions, clusterFollowers,
    clusterTakeovers, clusterOwnershipEnds, clusterDataLosses,
  ]
}
