import HearthTree

extension RESTCall {
  /// What is known of a change of rules without the caller's own words.
  var rulesChange: RulesChange { RulesChange(author: RulesAuthor(caller.credential)) }

  /// With them.
  func rulesChange(_ body: JSON) throws(RESTFailure) -> RulesChange {
    var change = rulesChange
    change.comment = try body.text("comment")
    change.tool = try body.text("tool")
    return change
  }
}

extension RulesStore.Deployed {
  /// The answer to what put rules in force.
  var json: JSON { ["version": version.json, "isNew": .bool(isNew)] }
}

extension JSON {
  func text(_ name: String) throws(RESTFailure) -> String? {
    guard let value = self[name], value != .null else { return nil }
    guard let text = value.string, text.utf8.count <= RulesChange.textBytesMax else {
      throw RESTFailure(400, "\(name) must be a text of at most \(RulesChange.textBytesMax) bytes")
    }
    return text.isEmpty ? nil : text
  }

  /// A number from 0 on.
  ///
  /// - Returns: nil for `null`, and when there is none.
  func count(_ name: String) throws(RESTFailure) -> Int64? {
    guard let value = self[name], value != .null else { return nil }
    guard let count = value.int, count >= 0 else { throw RESTFailure(400, "\(name) must be a whole number from 0 on") }
    return count
  }

  func flag(_ name: String) throws(RESTFailure) -> Bool {
    guard let value = self[name] else { return false }
    guard let flag = value.bool else { throw RESTFailure(400, "\(name) must be true or false") }
    return flag
  }

  /// The number of a version.
  func id(_ name: String) throws(RESTFailure) -> Int64? {
    guard let value = self[name], value != .null else { return nil }
    guard let id = value.int, id > 0 else { throw RESTFailure(400, "\(name) must be the number of a version") }
    return id
  }

  /// The value as a number; nil for anything else.
  var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}
