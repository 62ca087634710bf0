/// The time or position whose state is restored.
public enum RestorePoint: Sendable, Equatable {
  /// The instant of the newest backup.
  case latest
  /// A time in milliseconds since 1970, with every commit decided until then.
  case time(Int64)
  /// The state right after a commit of a database, whose name is `accounts` or `databases/NAME`; other databases as of
  /// its time.
  case position(String, Int64)
}
