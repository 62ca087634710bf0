import HearthTree

/// A rule ready to run: operations in a flat list, and the tables that they point into.
struct Program: Sendable {
  var operations: [Operation] = []
  /// For each operation, UTF-8 bytes from the start of the rule's text to what it stands for.
  var offsets: [Int32] = []
  var constants: [Value] = []
  var names: [String] = []
  var lists: [Int32] = []
  var templates: [PathTemplate] = []
  var chains: [SnapshotChain] = []
  /// For each chain, whether it needs its path while it runs, because a `parent()` is in it.
  var chainNeedsPath: [Bool] = []
  var regexes: [LinearRegex] = []
  var root: Int32 = 0

  init() {}
}
