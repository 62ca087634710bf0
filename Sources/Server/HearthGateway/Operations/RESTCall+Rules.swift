import HearthTree

extension RESTCall {
  /// The facts of a change of rules without the caller's comment.
  var rulesChange: RulesChange { RulesChange(author: RulesAuthor(caller.credential)) }

  /// Returns the facts of a change of rules with the caller's comment.
  func rulesChange(_ body: JSON) throws(RESTFailure) -> RulesChange {
    var change = rulesChange
    change.comment = try body.text("comment")
    change.tool = try body.text("tool")
    return change
  }
}

extension RulesStore.Deployed {
  /// The response to a deploy.
  var json: JSON { ["version": version.json, "isNew": .bool(isNew)] }
}

extension JSON {
  func text(_ name: String) throws(RESTFailure) -> String? {
    guard let value = self[name], value != .null else { return nil }
    guard let text = value.string, text.utf8.count <= RulesChange.textBytesMax else {
      throw RESTFailure(400, "\(name) must be a string of at most \(RulesChange.textBytesMax) bytes")
    }
    return text.isEmpty ? nil : text
  }

  /// Returns a number from 0 on.
  ///
  /// - Returns: nil for `null`, and when there is none.
  func count(_ name: String) throws(RESTFailure) -> Int64? {
    guard let value = self[name], value != .null else { return nil }
    guard let count = value.int, count >= 0 else {
      throw RESTFailure(400, "\(name) must be a whole number of 0 or more")
    }
    return count
  }

  func flag(_ name: String) throws(RESTFailure) -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw RESTFailure(400, "\(name) must be true or false") }
    return flag
  }

  /// Returns the number of a version.
  func id(_ name: String) throws(RESTFailure) -> Int64? {
    guard let value = self[name], value != .null else { return nil }
    guard let id = value.int, id > 0 else { throw RESTFailure(400, "\(name) must be the number of a version") }
    return id
  }

  /// The value as a number; nil for any other value.
  var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}
