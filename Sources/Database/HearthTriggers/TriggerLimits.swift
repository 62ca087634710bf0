/// The limits of triggers, with one reason each.
public enum TriggerLimits {
  /// The most events of one write, as in Firebase. With strict validation a write with more is refused; without it, the
  /// events beyond the limit are not sent.
  public static let eventsPerWriteMax = 1_000

  /// The most bytes of `{"data":…,"delta":…}` in one event, as in Firebase. With strict validation a write with a
  /// larger event is refused; without it the event contains a reference, or becomes a dead letter.
  public static let payloadBytesMax = 1 << 20

  /// The most triggers of one server: each is matched against every write.
  public static let triggersMax = 1_000

  /// The most bytes of a trigger's name, which is in file names, logs and requests.
  public static let nameBytesMax = 128

  /// The most bytes of a pattern, as many as a path may have in a request.
  public static let patternBytesMax = 4_096

  /// The most steps of a pattern, as many as data may have levels.
  public static let patternStepsMax = 32

  /// The most bytes of a URL.
  public static let urlBytesMax = 2_048

  /// The most secrets of one trigger: the one in use, the one before it, and the next one.
  public static let secretsMax = 3

  /// The most waiting events of one trigger in one database; events beyond this limit become dead letters at once.
  public static let waitingEventsMax = 100_000

  /// The most bytes of the waiting events of one trigger in one database.
  public static let waitingBytesMax = 256 << 20

  /// The most events of one trigger in memory, without their contents; the others stay on the disk.
  public static let knownEventsMax = 4_096

  /// The most events in flight for all triggers: each takes one payload and one thread.
  public static let inFlightMax = 64

  /// The default number of events in flight for one trigger.
  public static let concurrency = 8

  /// The default timeout of a handler, in seconds.
  public static let timeoutSeconds = 60

  /// The longest timeout of a handler, in seconds, as in Firebase.
  public static let timeoutSecondsMax = 540

  /// The timeout of a connection to a receiver, in seconds.
  public static let connectTimeoutSeconds = 5

  /// The most bytes that are read of a receiver's answer, of which only the status is used.
  public static let answerBytesMax = 4 << 10

  /// The default time after an event's write in which deliveries are attempted, in seconds: a day.
  public static let windowSeconds = 86_400

  /// The longest time in which deliveries are attempted, in seconds: a week.
  public static let windowSecondsMax = 604_800

  /// The number of consecutive failures to reach the handler after which only one event at a time is attempted.
  public static let failuresBeforeBreak = 5

  /// The longest wait that an answer's `Retry-After` may request, in seconds.
  public static let retryAfterSecondsMax = 600

  /// The retention of dead letters, in seconds: a week.
  public static let deadLetterSecondsMax = 604_800

  /// The most bytes of one trigger's dead letters in one database: a gibibyte.
  public static let deadLetterBytesMax = 1 << 30

  /// The most dead letters in the answer to one request.
  public static let deadLettersListedMax = 1_000
}
