import HearthCluster

/// What makes a server a node of a cluster.
public struct ClusterOptions: Sendable {
  /// A node as the operator names it.
  public struct Place: Sendable, Equatable {
    /// Its name: 1 to 63 of `a-z`, `0-9` and `-`.
    public var name: String
    /// The place where the other nodes reach it.
    public var host: String
    /// The port there, above 0.
    public var port: Int

    /// A node at an address.
    public init(name: String, host: String, port: Int) { (self.name, self.host, self.port) = (name, host, port) }

    /// Reads `name=host:port`; an IPv6 address is in brackets. Nil for anything else.
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

    /// Returns true when a node can have that name.
    public static func isName(_ name: String) -> Bool {
      (1...ClusterLimits.nodeNameBytesMax).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
        }
    }
  }

  /// This node.
  public var node: Place
  /// All others.
  public var peers: [Place]
  /// The folder with what nodes show each other, see `LinkIdentity`, and in `keys` what signs tokens on all of them.
  public var identityFolder: String
  /// The node serves clients and owns no database: what they write goes to the others.
  public var ownsNothing = false

  /// A node of those.
  public init(node: Place, peers: [Place], identityFolder: String) {
    (self.node, self.peers, self.identityFolder) = (node, peers, identityFolder)
  }
}
