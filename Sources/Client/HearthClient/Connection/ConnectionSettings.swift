import HearthWire

/// The constants of one connection. Times are in milliseconds.
struct ConnectionSettings: Sendable {
  /// The time for fetching tokens, after which the attempt fails.
  var tokenTimeout: Int64 = 60_000
  /// The time from the start of connecting to an open WebSocket, as in the native SDKs.
  var openTimeout: Int64 = 30_000
  /// The time from an open WebSocket to the hello. The Firebase SDKs have no such limit: a server that sends no hello
  /// would block them for ever.
  var helloTimeout: Int64 = 30_000
  /// The time without traffic in either direction after which a keepalive is sent.
  var keepaliveInterval: Int64 = 45_000
  /// The time without a message or pong from the server after which the socket counts as dead. Each keepalive comes
  /// with a WebSocket ping, which a working server answers.
  var silenceMax: Int64 = 75_000
  /// The delays between attempts.
  var backOff = BackOff.Settings()
  /// The time since the hello after which a connection counts as stable, so that its end resets the delays.
  var stableAfter: Int64 = 30_000
  /// The number of refused sign-ins in a row after which the delay jumps to its maximum.
  var refusedTokensMax = 3

  /// The limits on the content of a server message.
  var received = ReceivedMessage.Limits()
  /// The limits on the size of a server message. The service answers a read with up to 256 MB.
  var wire = Self.wireLimits

  /// The only counter in the statistics that the first connection reports, `sdk.<name>.<version with - for .>`; nil to
  /// report none.
  var sdkCounter: String? = "sdk.hearth.1-0-0"

  private static var wireLimits: WireLimits {
    var limits = WireLimits()
    limits.messageBytesMax = 256 << 20
    return limits
  }
}
