/// How much work a write may be, as the service names it.
///
/// Large deletes cost little here, so a write of every class is let through up to the size that a body, and a change,
/// may have. Tools begin with `tiny` and divide what is refused.
enum WriteSizeLimit {
  static let names = ["tiny", "small", "medium", "large", "unlimited"]

  /// Those that can be a database's default.
  static let defaults = ["small", "medium", "large", "unlimited"]
}
