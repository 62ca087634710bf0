import HearthTree

/// The tag of a value in conditional requests: its exact hash, which a conditional write can compare in the engine.
///
/// Sent without quotes, as Firebase does. The absent value has a tag of its own.
enum ETag {
  static let null = "null_etag"

  static func of(_ node: Node) -> String { node.isEmpty ? null : node.exactHash() }

  /// Returns the hash that the engine is to expect for a client's tag.
  static func expectedHash(_ tag: String) -> String { tag == null ? "" : String(Node.exactHashMark) + tag }
}
