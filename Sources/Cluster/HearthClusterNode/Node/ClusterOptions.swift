import HearthCluster

/// The options of a server that is a node of a cluster.
public struct ClusterOptions: Sendable {
  /// The name and address of a node, as the operator configures them.
  public struct NodeAddress: Sendable, Equatable {
    /// The name: 1 to 63 of `a-z`, `0-9` and `-`.
    public var name: String
    /// The host at which the other nodes reach it.
    public var host: String
    /// The port, above 0.
    public var port: Int

    /// A node at an address.
    public init(name: String, host: String, port: Int) { (self.name, self.host, self.port) = (name, host, port) }

    /// Reads `name=host:port`, with an IPv6 address in brackets; nil when the text has another form.
    public init?(_ text: String) {
      guard let equals = text.firstIndex(of: "="), let colon = text.lastIndex(of: ":"), equals < colon,
        let port = UInt16(text[text.index(after: colon)...]), port > 0
      else { return nil }
      let name = String(text[..<equals])
      var host = String(text[text.index(after: equals)..<colon])
      if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
      guard Self.isName(name), !host.isEmpty, !host.contains("=") else { return nil }
      self.init(name: name, host: host, port: Int(port))
    }

    /// Returns true when the text is a valid node name.
    public static func isName(_ name: String) -> Bool {
      (1...ClusterLimits.nodeNameBytesMax).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
        }
    }
  }

  /// The address of this node.
  public var node: NodeAddress
  /// The addresses of all other nodes.
  public var peers: [NodeAddress]
  /// The folder with the node's certificate, see `LinkIdentity`, and with the keys in `keys` with which all nodes sign
  /// tokens.
  public var identityFolder: String
  /// True when the node serves clients and owns no database: their writes go to other nodes.
  public var ownsNothing = false

  /// The options of a node and its peers.
  public init(node: NodeAddress, peers: [NodeAddress], identityFolder: String) {
    (self.node, self.peers, self.identityFolder) = (node, peers, identityFolder)
  }
}
