import HearthTree

/// A reader of rules test files in Hearth's format, which `Rules/rules-test.schema.json` describes, and in that of the
/// targaryen tool.
package struct RulesTestReader {
  let document: DocumentText
  var users: [String: RulesTestUser] = [:]
  /// The number of steps in all cases that were read.
  var stepCount = 0

  /// Reads a test file, as JSON or YAML according to its name.
  ///
  /// - Throws: the first problem.
  package static func read(_ document: DocumentText) throws(DocumentProblem) -> RulesTestFile {
    let root = try LocatedValue.read(document)
    var reader = RulesTestReader(document: document)
    if root["cases"] == nil, root["tests"] != nil { return try reader.targaryenFile(root) }
    return try reader.file(root)
  }

  /// The valid times: milliseconds since 1970 up to the end of the year 9999.
  static let times: ClosedRange<Int64> = 0...253_402_300_799_999
  /// The default time: the first day of 2026, the same in each run.
  static let nowMillisecondsDefault: Int64 = 1_767_225_600_000

  private mutating func file(_ root: LocatedValue) throws(DocumentProblem) -> RulesTestFile {
    let object = try LocatedObject(
      root, in: document, noun: "a test file", names: ["$schema", "rules", "now", "users", "data", "cases"])
    _ = try object.text("$schema")
    let now = try object.int("now", "milliseconds since 1970", in: Self.times) ?? Self.nowMillisecondsDefault
    if let value = object["users"] { try readUsers(value) }
    guard let list = object["cases"] else {
      throw document.problem(
        "A test file needs cases.", help: #""cases": [{"read": "/", "expect": "deny"}]"#, at: object.place)
    }
    guard case .array(let elements) = list.form else {
      throw document.problem("'cases' must be a list, not \(list.kind).", at: list.place)
    }
    let data = try node(object["data"], nowMilliseconds: now)
    var cases: [RulesTestCase] = []
    for element in elements {
      cases += try readCase(element, nowMilliseconds: now)
      guard cases.count <= WorkbenchLimits.casesMax else {
        throw document.problem("More than \(WorkbenchLimits.casesMax) cases.", at: element.place)
      }
    }
    return RulesTestFile(document: document, rules: try rulesReference(object), data: data, cases: cases)
  }

  private func rulesReference(_ object: LocatedObject) throws(DocumentProblem) -> (path: String, place: TextOffset)? {
    guard let path = try object.text("rules"), let place = object["rules"]?.place else { return nil }
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw document.problem("'rules' must be the path of a rules file.", at: place)
    }
    return (path, place)
  }

  // MARK: Users

  private mutating func readUsers(_ value: LocatedValue) throws(DocumentProblem) {
    guard case .object(let members) = value.form else {
      throw document.problem("'users' must be an object with a member for each user.", at: value.place)
    }
    for member in members { users[member.name] = try user(member) }
  }

  private func user(_ member: LocatedValue.Member) throws(DocumentProblem) -> RulesTestUser {
    if case .null = member.value.form { return RulesTestUser(name: member.name, auth: nil) }
    let object = try LocatedObject(
      member.value, in: document, noun: "a user", names: ["uid", "claims", "provider", "auth", "administrator"])
    if try object.bool("administrator") == true {
      try refuse(["uid", "claims", "provider", "auth"], of: object, beside: "administrator")
      return RulesTestUser(name: member.name, auth: nil, isAdministrator: true)
    }
    if let auth = object["auth"] {
      try refuse(["uid", "claims", "provider"], of: object, beside: "auth")
      return RulesTestUser(name: member.name, auth: try self.auth(auth))
    }
    guard let uid = try object.text("uid") else {
      throw document.problem(
        "A user needs a uid, or auth.", help: "uid: \(member.name)", at: member.value.place)
    }
    var claims: [JSON.Member] = []
    if let value = object["claims"] {
      guard case .object(let members) = try json(value) else {
        throw document.problem("'claims' must be an object, not \(value.kind).", at: value.place)
      }
      claims = members
    }
    let provider = try object.text("provider") ?? "custom"
    return RulesTestUser(name: member.name, auth: OfflineAuth.user(uid, claims: claims, provider: provider))
  }

  /// Returns the `auth` value of rules; nil for null, which means a signed-out client.
  func auth(_ value: LocatedValue) throws(DocumentProblem) -> JSON? {
    switch value.form {
    case .null: return nil
    case .object: return try json(value)
    default: throw document.problem("'auth' must be an object or null, not \(value.kind).", at: value.place)
    }
  }

  func refuse(_ names: [String], of object: LocatedObject, beside name: String) throws(DocumentProblem) {
    for other in names {
      guard let value = object[other] else { continue }
      throw document.problem("'\(other)' cannot be combined with '\(name)'.", at: value.place)
    }
  }

  // MARK: Data

  func json(_ value: LocatedValue) throws(DocumentProblem) -> JSON {
    try LocatedJSON(value).read(in: document) { reader throws(JSONError) in try reader.value() }
  }

  /// Returns the content of the database; empty without a value.
  func node(_ value: LocatedValue?, nowMilliseconds: Int64) throws(DocumentProblem) -> Node {
    guard let value else { return .empty }
    let data = try LocatedJSON(value).read(in: document) { reader throws(JSONError) in try reader.writeValue() }
    return data.resolved(existing: .empty, nowMilliseconds: nowMilliseconds)
  }
}
