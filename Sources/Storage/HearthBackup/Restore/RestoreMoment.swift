/// The moment whose state is wanted.
public enum RestoreMoment: Sendable, Equatable {
  /// The newest backup's.
  case latest
  /// Milliseconds since 1970: every commit that was decided until then.
  case time(Int64)
  /// Right after that commit of a database, whose name is `accounts` or `databases/NAME`; the others as they were at its
  /// time.
  case position(String, Int64)
}
