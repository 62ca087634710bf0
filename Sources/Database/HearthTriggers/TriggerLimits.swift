/// What triggers cost at most, one reason each.
public enum TriggerLimits {
  /// Events that one write may make: what the service allows. With strict validation a write that would make more is
  /// refused; without it those beyond are not sent.
  public static let eventsPerWriteMax = 1_000

  /// Bytes of the `{"data":…,"delta":…}` of one event: what the service allows. With strict validation a write that would
  /// make a larger one is refused; without it the event carries a reference, or is a dead letter.
  public static let payloadBytesMax = 1 << 20

  /// Triggers of one server: each is matched against every write.
  public static let triggersMax = 1_000

  /// Bytes of a trigger's name, which is in file names, logs and requests.
  public static let nameBytesMax = 128

  /// Bytes of a pattern: as long as a path may be in a request.
  public static let patternBytesMax = 4_096

  /// Steps of a pattern, which is as deep as data may be.
  public static let patternStepsMax = 32

  /// Bytes of a URL.
  public static let urlBytesMax = 2_048

  /// Secrets of one trigger: the one in use, the one before it, and one to come.
  public static let secretsMax = 3

  /// Events of one trigger that wait in one database; the newest beyond are dead letters at once.
  public static let waitingEventsMax = 100_000

  /// Bytes of them.
  public static let waitingBytesMax = 256 << 20

  /// Events of one trigger that are known in memory, without what they carry; the others stay on the disk.
  public static let knownEventsMax = 4_096

  /// Events under way, all triggers together: each holds one payload and one thread.
  public static let inFlightMax = 64

  /// Events under way for one trigger when its registration does not say.
  public static let concurrency = 8

  /// Seconds that a handler may take when its registration does not say.
  public static let timeoutSeconds = 60

  /// Seconds that a handler may ever take: what the service allows.
  public static let timeoutSecondsMax = 540

  /// Seconds for a connection to a receiver.
  public static let connectTimeoutSeconds = 5

  /// Bytes of an answer that are read; only its status counts.
  public static let answerBytesMax = 4 << 10

  /// The time that an event is tried from the time of its write, in seconds: a day.
  public static let windowSeconds = 86_400

  /// How long at most, when a registration says so: a week.
  public static let windowSecondsMax = 604_800

  /// Failures in a row that did not reach the handler, after which only one event at a time is tried.
  public static let failuresBeforeBreak = 5

  /// Seconds that an answer's `Retry-After` may ask for.
  public static let retryAfterSecondsMax = 600

  /// The time that dead letters are kept, in seconds: a week.
  public static let deadLetterSecondsMax = 604_800

  /// Bytes of dead letters of one trigger in one database: a gibibyte.
  public static let deadLetterBytesMax = 1 << 30

  /// Dead letters that one request lists.
  public static let deadLettersListedMax = 1_000
}
