/// The bounds of one socket, in bytes unless they say otherwise.
struct WebSocketLimits: Sendable {
  /// Of one message of the server, in however many frames it comes.
  var messageBytesMax = 256 << 20
  /// Frames of one message. A frame of nothing costs memory too.
  var fragmentsMax = 100_000
  /// What may have come and waits for the queue; then nothing more is read.
  var unreadBytesMax = 8 << 20
  /// What a message counts beside its bytes.
  var messageOverhead = 64
  /// What may wait for the network before requests wait, and where they go on.
  var unsentBytesMax = 4 << 20
  var unsentBytesLow = 1 << 20
  /// Milliseconds from a goodbye to the end of the socket, whatever the other side does.
  var closeMilliseconds: Int64 = 2_000
}
