/// The bounds of long polling, each with its reason.
struct PollLimits: Sendable {
  /// Sessions of the whole server. Each takes some kilobytes, and no connection while its client is silent, so that
  /// nothing else would bound them. One network has half of them at most.
  var sessionsMax = 20_000
  /// Seconds without a poll under way after which a session gives its place to a new one, when there is no other. A
  /// client's next poll follows the last answer within a round trip.
  var restSeconds = 3
  /// Sessions that are looked at to find one that rests: where many do, one of these does, and the answer is quick.
  var sampleMax = 32
  /// Seconds that a poll waits for something to be told. Clients ask again after 25, and proxies give up after 30 or more.
  var holdSeconds = 20
  /// Seconds without a poll after which a client is gone.
  var silenceSeconds = 60
  /// Seconds that a session which has ended waits for the poll that is told so.
  var farewellSeconds = 10
  /// Bytes of messages in one answer, beside one message of any size: a script runs when all of it is there.
  var answerBytesMax = 1 << 20
  /// Bytes of messages that may wait for polls, beside one message of any size.
  var waitingBytesMax = 16 << 20
  /// Bytes of one message to the client. Scripts of this size are made on an event loop, in some thirty milliseconds.
  var messageBytesMax = 32 << 20
  /// Pieces of one message. Clients cut at 1,840 letters; 32 MB take 25,000 of these.
  var piecesMax = 32_768
  /// Pieces that may come before one that is missing. A URL carries 1,870 letters, and two polls are under way at a time.
  var piecesAheadMax = 256
  /// Bytes of an answer that is kept in case the same poll comes again, because its connection broke.
  var repeatedBytesMax = 16 << 10

  static let standard = PollLimits()
}
