/// The limits of one socket, in bytes unless stated otherwise.
struct WebSocketLimits: Sendable {
  /// The size of one message of the server, over all its frames.
  var messageBytesMax = 256 << 20
  /// The number of frames of one message. An empty frame costs memory too.
  var fragmentsMax = 100_000
  /// The received bytes that wait to be handled, above which reading pauses.
  var unreadBytesMax = 8 << 20
  /// The size of a message in memory in addition to its bytes.
  var messageOverhead = 64
  /// The unsent bytes above which requests wait; they continue below ``unsentBytesLow``.
  var unsentBytesMax = 4 << 20
  var unsentBytesLow = 1 << 20
  /// The time in milliseconds from a close frame to the end of the socket, whatever the server does.
  var closeMilliseconds: Int64 = 2_000
}
