/// The limits of long polling, each with its reason.
struct PollLimits: Sendable {
  /// The maximum number of sessions of the whole server. Each takes some kilobytes, and no connection while its client
  /// is silent, so that no other limit applies. One network has half of them at most.
  var sessionsMax = 20_000
  /// The seconds without a poll under way after which a session may be replaced by a new one, when there is no room. A
  /// client's next poll follows the last response within a round trip.
  var idleSecondsMin = 3
  /// The maximum number of sessions that are sampled to find an idle one: where many are idle, one of these is, and the search is
  /// quick.
  var sampleMax = 32
  /// The seconds that a poll waits for messages. Clients poll again after 25, and proxies time out after 30 or more.
  var holdSeconds = 20
  /// The seconds without a poll after which a client counts as gone.
  var silenceSeconds = 60
  /// The seconds that an ended session waits for a poll, to report the end.
  var endingSecondsMax = 10
  /// The maximum bytes of messages in one response, beside one message of any size: a script runs when all of it has
  /// arrived.
  var answerBytesMax = 1 << 20
  /// The maximum bytes of messages that may wait for polls, beside one message of any size.
  var waitingBytesMax = 16 << 20
  /// The maximum bytes of one message to the client. Scripts of this size are made on an event loop, in some thirty
  /// milliseconds.
  var messageBytesMax = 32 << 20
  /// The maximum number of pieces of one message. Clients cut at 1,840 letters; 32 MB take 25,000 of these.
  var piecesMax = 32_768
  /// The maximum number of pieces that may arrive before a missing one. A URL carries 1,870 letters, and two polls are
  /// under way at a time.
  var piecesAheadMax = 256
  /// The maximum bytes of a response that is kept in case the same poll is repeated, because its connection broke.
  var repeatedBytesMax = 16 << 10

  static let standard = PollLimits()
}
