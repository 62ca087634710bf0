/// The limits on one connection's use of the server, each with its reason.
package struct TransportLimits: Sendable {
  /// The maximum bytes of a request's target and headers together. Tokens and filters live in URLs: they need at least
  /// 16 KiB of it.
  var headBytesMax = 64 << 10
  /// The maximum number of headers of a request. Browsers and proxies send some thirty.
  var headersMax = 128
  /// The maximum bytes of a request's body: the documented size of one write over HTTP.
  var bodyBytesMax = 256 << 20
  /// The size in bytes from which a body is accepted only with a valid credential, or within the memory limit for
  /// callers without one. Nearly every write of an app is far smaller.
  var bodyBytesWithoutCredentialMax = 2 << 20
  /// The size in bytes up to which a body is read without the responder's admission: as much as a connection may hold
  /// without being counted.
  package static let bodyBytesWithoutAdmission = 16 << 10
  /// The seconds from the connection, or the last response, to the end of a TLS handshake and the next request's head.
  var headTimeoutSeconds = 15
  /// The seconds that a connection may wait for its next request. Proxies keep theirs for 60.
  var idleTimeoutSeconds = 75
  /// The seconds without a byte of an announced body.
  var bodyPauseSeconds = 30
  /// The seconds over which a body's pace is measured, repeatedly until it is complete; the first period is twice as
  /// long.
  var bodyWindowSeconds = 30
  /// The minimum bytes a second of a body in each period of ``bodyWindowSeconds``.
  package var bodyBytesPerSecondMin = 4 << 10
  /// The maximum seconds in which a body would double at its pace: the larger the received part, the more has to arrive
  /// in each period. The largest body takes less than an hour, and one of a megabyte needs what any telephone manages.
  var bodyDoublingSecondsMax = 512
  /// The seconds that a client may take no byte of its output.
  var stallTimeoutSeconds = 60
  /// The seconds after which a keep-alive is sent on a quiet event stream. Proxies close connections that are silent
  /// for 60.
  var streamQuietSeconds = 30
  /// The seconds that a connection waits for its peer to close it too.
  var lingerSeconds = 2
  /// The milliseconds that a connection waits for its peer to close it while the server stops, and at any time for the end of TLS:
  /// all output is written by then.
  var closeMilliseconds = 250

  /// The maximum number of messages of one socket, or requests of one connection, that are handled before others have their turn:
  /// some tenths of a millisecond's work. Nearly every client sends fewer at once, and never waits.
  package var turnMessagesMax = 16
  /// The bytes of a socket's message that count as one more message of a turn: large messages take as long as many small ones.
  static let turnBytesPerMessage = 1 << 10
  /// The maximum number of waiting connections that get their turn before the loop polls its other connections again.
  var turnsMax = 8
  /// The minimum microseconds that the waiting connections then pause: a loop with work that is due at once polls no connection.
  var turnPauseMicroseconds: Int64 = 20

  /// The maximum bytes of a socket's message in one frame or many: larger than any message of a supported client.
  package var messageBytesMax = 32 << 20
  /// The seconds between a message's first part and its last.
  package var messageTimeoutSeconds = 120
  /// The seconds after which a silent socket is pinged.
  var pingAfterSeconds = 30
  /// The seconds after which a silent socket is closed, although it was pinged.
  var silenceSeconds = 60
  /// The seconds after which a silent socket is closed whose client cannot be pinged: such clients send a message after 45 quiet
  /// seconds.
  var unpingableSilenceSeconds = 120
  /// The maximum bytes that may wait for a socket whose client does not read, beside one message of any size. Small
  /// messages are shared with other sockets, so the limit is about time more than memory.
  var outboundBytesMax = 16 << 20
  /// The bytes that an event loop writes between two counts of waiting output; it counts every second in any case.
  var outboundBytesUncounted = 32 << 20

  static let standard = TransportLimits()
}
