import HearthTree

/// The metadata of a change of rules: its author, its cause and its options.
package struct RulesChange: Sendable, Equatable {
  var author: RulesAuthor
  var cause: RulesVersion.Cause
  /// The author's comment; nil when there is none.
  var comment: String?
  /// The author's program, as it names itself; nil when it does not.
  var tool: String?
  /// The version that a roll-back restores; nil for other changes.
  var original: Int64?
  /// The bounds of an automatic roll-back; nil when there is none.
  var watch: RollbackBounds?

  /// The maximum bytes of a comment, and of a tool's name.
  static let textBytesMax = 1_000

  init(
    author: RulesAuthor, cause: RulesVersion.Cause = .deploy, comment: String? = nil, tool: String? = nil,
    original: Int64? = nil, watch: RollbackBounds? = nil
  ) {
    (self.author, self.cause, self.comment) = (author, cause, comment)
    (self.tool, self.original, self.watch) = (tool, original, watch)
  }

  /// Returns the change for rules that the server read from a file.
  package static func file(_ path: String?) -> RulesChange { RulesChange(author: .file(path)) }

  /// The members of the change in responses and files.
  var json: JSON {
    var json: JSON = ["cause": .string(cause.rawValue), "author": author.json]
    if let tool { json["tool"] = .string(tool) }
    if let comment { json["comment"] = .string(comment) }
    if let original { json["original"] = .int(original) }
    if let watch { json["watch"] = watch.json }
    return json
  }

  init?(_ json: JSON) {
    guard let cause = json["cause"]?.string.flatMap(RulesVersion.Cause.init(rawValue:)),
      let author = RulesAuthor(json["author"])
    else { return nil }
    self.init(
      author: author, cause: cause, comment: json["comment"]?.string, tool: json["tool"]?.string,
      original: json["original"]?.int, watch: json["watch"].flatMap(RollbackBounds.init))
  }
}
