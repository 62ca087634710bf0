/// The bounds of what one connection may take from the server, each with its reason.
package struct TransportLimits: Sendable {
  /// Bytes of a request's target and headers together. Tokens and filters live in URLs: at least 16 KiB of it.
  var headBytesMax = 64 << 10
  /// Headers of a request. Browsers and proxies send some thirty.
  var headersMax = 128
  /// Bytes of a request's body: the documented size of one write over HTTP.
  var bodyBytesMax = 256 << 20
  /// A body of more than this is taken when the request's credential counts, or within what callers without one may make
  /// the server hold. Nearly every write of an app is far below.
  var bodyBytesOfAnybodyMax = 2 << 20
  /// A body of up to this size is read without asking whether its client owes something: as much as a connection may hold
  /// without being counted.
  package static let bodyBytesUnasked = 16 << 10
  /// Seconds from the connection, or the last response, to the end of a TLS handshake and the first request's head.
  var headTimeoutSeconds = 15
  /// Seconds that a connection may wait for its next request. Proxies keep theirs for 60.
  var idleTimeoutSeconds = 75
  /// Seconds without a byte of a body that was announced.
  var bodyPauseSeconds = 30
  /// Seconds over which a body's pace is looked at, again and again until it is complete; the first time it has twice
  /// as long.
  var bodyWindowSeconds = 30
  /// Bytes a second that a body must bring in each of these times.
  package var bodyBytesPerSecondMin = 4 << 10
  /// The more of a body is held, the more has to come: so much in each of these times that in this many seconds it would
  /// be twice as large. The largest body takes less than an hour, and one of a megabyte what any telephone manages.
  var bodyDoublingSecondsMax = 512
  /// Seconds that a client may take no byte of what is written to it.
  var stallTimeoutSeconds = 60
  /// Seconds after which something is sent on a quiet event stream. Proxies give up connections that are silent for 60.
  var streamQuietSeconds = 30
  /// Seconds that a connection waits for the other side to close it too.
  var lingerSeconds = 2
  /// The same while the server stops, in milliseconds, and of the end of TLS at any time: everything is written by then.
  var goodbyeMilliseconds = 250

  /// Messages of one socket, or requests of one connection, that are handled before others have their turn: some tenths of
  /// a millisecond's work. Nearly every client sends fewer at once, and never waits in line.
  package var turnMessagesMax = 16
  /// Turns of connections that wait in line, before the loop looks at its other connections again.
  var turnsMax = 8
  /// Microseconds for which they then wait at least: a loop that has something to do at once looks at no connection.
  var turnPauseMicroseconds: Int64 = 20

  /// Bytes of a socket's message in one frame or many: the largest that anybody who is served here means to send.
  package var messageBytesMax = 32 << 20
  /// Seconds between a message's first part and its last.
  package var messageTimeoutSeconds = 120
  /// Seconds after which a silent socket is pinged.
  var pingAfterSeconds = 30
  /// Seconds after which a silent socket is given up, although it was pinged.
  var silenceSeconds = 60
  /// The same for clients that cannot be pinged: they speak after 45 quiet seconds by themselves.
  var unpingableSilenceSeconds = 120
  /// Bytes that may wait for a socket whose client does not take them, beside one message of any size. Small
  /// messages are shared with other sockets, so the bound is about time more than memory.
  var outboundBytesMax = 16 << 20
  /// Bytes that an event loop writes without a look at how much of it its clients have not taken; it looks every second
  /// in any case.
  var outboundBytesUncounted = 32 << 20

  static let standard = TransportLimits()
}
