import HearthWire

/// The constants of one connection. Times are in milliseconds.
struct ConnectionSettings: Sendable {
  /// From the request of tokens to their arrival; then the attempt has failed.
  var tokenTimeout: Int64 = 60_000
  /// From the dial to an open WebSocket. The native SDKs wait as long.
  var openTimeout: Int64 = 30_000
  /// From an open WebSocket to the hello. The SDKs do not bound it, and a server that never greets would hold them for ever.
  var helloTimeout: Int64 = 30_000
  /// Without traffic in either direction for so long, a keepalive goes out.
  var keepaliveInterval: Int64 = 45_000
  /// Without a sign of the server for so long, the socket is dead. With each keepalive goes a WebSocket ping, which a
  /// living server answers.
  var silenceMax: Int64 = 75_000
  /// The waits between attempts.
  var backOff = BackOff.Settings()
  /// A connection that lived so long begins the waits anew.
  var steadyAfter: Int64 = 30_000
  /// Failed sign-ins in a row after which the wait jumps to its maximum.
  var refusedTokensMax = 3

  /// What a server's message may have.
  var received = ReceivedMessage.Limits()
  /// How large a server's message may be. The service answers a read with up to 256 MB.
  var wire = Self.wireLimits

  /// What the first connection reports as its only counter: `sdk.<name>.<version with - for .>`; nil reports nothing.
  var sdkCounter: String? = "sdk.hearth.1-0-0"

  private static var wireLimits: WireLimits {
    var limits = WireLimits()
    limits.messageBytesMax = 256 << 20
    return limits
  }
}
