import HearthTree

/// The options of the console: its address, and its access.
public struct ConsoleOptions: Sendable {
  /// The address of a separate listener.
  public struct Address: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port; 0 lets the system pick one.
    public var port: Int

    /// Creates an address to listen on.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  /// True when there is a console.
  public var isServed = true
  /// The address on which the console is served with its sockets, and no other service; nil for the server's own port.
  public var address: Address?
  /// The names of this server beside those of this machine, the listening address and the public URL's.
  public var hostNames: [String] = []
  /// The claim of users that may sign in: `"administrator"` or true, or `"viewer"`. With nil no account can sign in.
  public var claim: String?

  /// True when denied requests are kept in memory, with the values of their writes, to be explained.
  public var keepsDenialValues = true

  /// Runs the checks of `hearth doctor`, and returns the findings as its `--json` does; nil when the program has no
  /// such checks.
  package var examine: (@Sendable () async throws -> JSON)?

  /// Creates the defaults: served on the server's own port, with access by links.
  public init() {}
}
