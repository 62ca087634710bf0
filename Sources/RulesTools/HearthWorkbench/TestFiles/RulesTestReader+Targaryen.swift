import HearthEngine
import HearthTree

/// The reading of test files of the targaryen tool: `root` is the data, `users` has the `auth` values of rules, and
/// `tests` has a member for each path with the lists `canRead`, `cannotRead`, `canWrite` and `cannotWrite`. Each test
/// starts with the original data.
extension RulesTestReader {
  private static let lists = ["canRead", "cannotRead", "canWrite", "cannotWrite"]

  mutating func targaryenFile(_ root: LocatedValue) throws(DocumentProblem) -> RulesTestFile {
    let now = Self.nowMillisecondsDefault
    if let value = root["users"] {
      guard case .object(let members) = value.form else {
        throw document.problem("'users' must be an object with a member for each user.", at: value.place)
      }
      for member in members {
        users[member.name] = RulesTestUser(name: member.name, auth: try auth(member.value))
      }
    }
    guard let tests = root["tests"], case .object(let members) = tests.form else {
      throw document.problem(
        "'tests' must be an object with a member for each path.", at: root["tests"]?.place ?? root.place)
    }
    var cases: [RulesTestCase] = []
    for member in members {
      let path = LocatedValue(.string(member.name), at: member.place)
      let location = try location(path, allowsPriority: true)
      let object = try LocatedObject(member.value, in: document, noun: "the tests of a path", names: Self.lists)
      for name in Self.lists {
        guard let list = object[name] else { continue }
        guard case .array(let elements) = list.form else {
          throw document.problem("'\(name)' must be a list, not \(list.kind).", at: list.place)
        }
        for element in elements {
          cases.append(try targaryenCase(element, name, at: location, nowMilliseconds: now))
        }
      }
      guard cases.count <= WorkbenchLimits.casesMax else {
        throw document.problem("More than \(WorkbenchLimits.casesMax) cases.", at: member.place)
      }
    }
    let data = try node(root["root"], nowMilliseconds: now)
    return RulesTestFile(document: document, rules: nil, data: data, cases: cases)
  }

  private func targaryenCase(
    _ value: LocatedValue, _ list: String, at location: Location, nowMilliseconds: Int64
  ) throws(DocumentProblem) -> RulesTestCase {
    let isRead = list.hasSuffix("Read")
    var (user, request): (RulesTestUser, ProposedRequest)
    if isRead {
      user = try targaryenUser(value)
      request = .read(location.path, nil)
    } else {
      let written: WriteValue
      (user, written) = try targaryenWrite(value, at: location)
      request = .write(WriteOperation(.put(location, written)))
    }
    let label = "\(user.name) \(isRead ? "reads" : "writes") \(location)"
    let step = RulesTestStep(
      label: label, place: value.place, user: user, request: request, nowMilliseconds: nowMilliseconds,
      isAllowed: list.hasPrefix("can") && !list.hasPrefix("cannot"))
    return RulesTestCase(name: label, place: value.place, steps: [step])
  }

  /// Returns the write of a test. A user's name without a value means a delete.
  private func targaryenWrite(
    _ value: LocatedValue, at location: Location
  ) throws(DocumentProblem) -> (RulesTestUser, WriteValue) {
    guard case .object = value.form else { return (try targaryenUser(value), WriteValue(.empty)) }
    let object = try LocatedObject(value, in: document, noun: "a write", names: ["auth", "data"])
    guard let auth = object["auth"] else {
      throw document.problem("A write needs 'auth', the name of a user.", at: value.place)
    }
    let written: WriteValue =
      if let data = object["data"] { try written(data, at: location) } else { WriteValue(.empty) }
    return (try targaryenUser(auth), written)
  }

  /// Returns the user of a test: a user's name, or an `auth` value of rules.
  private func targaryenUser(_ value: LocatedValue) throws(DocumentProblem) -> RulesTestUser {
    guard case .string(let name) = value.form else {
      guard let auth = try auth(value) else { return .signedOut }
      return RulesTestUser(name: auth["uid"]?.string ?? "somebody", auth: auth)
    }
    guard let user = users[name] else { throw document.problem("Unknown user '\(name)'.", at: value.place) }
    return user
  }
}
