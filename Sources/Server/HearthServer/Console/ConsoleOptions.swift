import HearthTree

/// Whether and where the console is served, and who gets in.
public struct ConsoleOptions: Sendable {
  /// An address of its own.
  public struct Place: Sendable {
    /// The address to listen on.
    public var host: String
    /// 0 lets the system pick one.
    public var port: Int

    /// A place to listen on.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  /// True when there is a console.
  public var isServed = true
  /// Where it is served with the sockets that it needs, and nothing else; nil is the server's own port.
  public var place: Place?
  /// Names that lead here, beside those of this machine, the address that is listened on and the public URL's.
  public var hostNames: [String] = []
  /// The claim of users that may sign in: `"administrator"` or true, or `"viewer"`. Nil lets nobody in by an account.
  public var claim: String?

  /// True when requests that rules refused are kept in memory, with what they would have written, to be explained.
  public var keepsDenialValues = true

  /// Looks at folder, machine and rules as `hearth doctor` does, and says what it found as `--json` does; nil where the
  /// program has no such checks.
  package var examine: (@Sendable () async throws -> JSON)?

  /// Served on the server's own port, to who has a link.
  public init() {}
}
