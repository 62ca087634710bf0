extension HearthServer {
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

    /// Whether there is a console.
    public var isServed = true
    /// Where it is served with the sockets that it needs, and nothing else; nil is the server's own port.
    public var place: Place?
    /// Names that lead here, beside those of this machine, the address that is listened on and the public URL's.
    public var hostNames: [String] = []
    /// The claim of users that may sign in: `"administrator"` or true, or `"viewer"`. Nil lets nobody in by an account.
    public var claim: String?

    /// Served on the server's own port, to who has a link.
    public init() {}
  }

  /// A one-time link into the console, at the address that this machine's browsers reach it by; nil without a console, and
  /// while the server is not running.
  ///
  /// - Parameter isReadOnly: whoever opens it reads everything and changes nothing.
  public func makeConsoleLink(isReadOnly: Bool = false) async -> String? {
    guard let console = parts?.routes.console else { return nil }
    return try? await console.makeLink(isReadOnly ? .viewer : .administrator, for: "server-start", by: .server)
  }
}
