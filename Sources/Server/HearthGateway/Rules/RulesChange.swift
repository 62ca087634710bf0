import HearthTree

/// What is known of a change of rules beside the rules themselves.
package struct RulesChange: Sendable, Equatable {
  var author: RulesAuthor
  var cause: RulesVersion.Cause
  /// What the author has to say of it.
  var comment: String?
  /// The program by which the author made it, in its own words.
  var tool: String?
  /// The version whose rules these are, for a roll-back.
  var original: Int64?
  /// For how long, and by what, the server goes back by itself.
  var watch: RollbackBounds?

  /// Bytes of a comment, and of a tool's words.
  static let textBytesMax = 1_000

  init(
    author: RulesAuthor, cause: RulesVersion.Cause = .deploy, comment: String? = nil, tool: String? = nil,
    original: Int64? = nil, watch: RollbackBounds? = nil
  ) {
    (self.author, self.cause, self.comment) = (author, cause, comment)
    (self.tool, self.original, self.watch) = (tool, original, watch)
  }

  /// The rules file of that path was read.
  package static func file(_ path: String?) -> RulesChange { RulesChange(author: .file(path)) }

  /// As it is shown and kept.
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
