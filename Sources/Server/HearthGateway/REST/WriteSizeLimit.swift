/// The classes of a write's cost, as Firebase names them.
///
/// Large deletes cost little here, so a write of every class is accepted up to the size limit of a body and a change. Tools begin
/// with `tiny` and divide refused writes.
enum WriteSizeLimit {
  static let names = ["tiny", "small", "medium", "large", "unlimited"]

  /// The classes that can be a database's default.
  static let defaults = ["small", "medium", "large", "unlimited"]
}
