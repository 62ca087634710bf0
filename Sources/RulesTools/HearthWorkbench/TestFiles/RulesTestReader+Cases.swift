import HearthEngine
import HearthTree

extension RulesTestReader {
  private static let operations = ["read", "write", "update", "delete"]
  private static let stepNames = operations + ["as", "value", "query", "expect", "rule", "now", "after"]

  /// Reads a case, or one case for each user that it names.
  mutating func readCase(
    _ value: LocatedValue, nowMilliseconds: Int64
  ) throws(DocumentProblem) -> [RulesTestCase] {
    let object = try LocatedObject(
      value, in: document, noun: "a case", names: ["name", "data", "steps"] + Self.stepNames)
    let name = try object.text("name")
    let now = try object.int("now", "milliseconds since 1970", in: Self.times) ?? nowMilliseconds
    let data: Node? = if let value = object["data"] { try node(value, nowMilliseconds: now) } else { nil }
    if let list = object["steps"] {
      try refuse(Self.stepNames.filter { $0 != "now" }, of: object, beside: "steps")
      let steps = try readSteps(list, nowMilliseconds: now)
      return [RulesTestCase(name: name ?? steps[0].label, place: object.place, data: data, steps: steps)]
    }
    guard object["after"] == nil else {
      throw document.problem(
        "'after' is only allowed in a step.", help: "Use 'now'.", at: object["after"]?.place ?? value.place)
    }
    let users = try readUsers(of: object)
    var cases: [RulesTestCase] = []
    for user in users {
      let step = try readStep(object, as: user, nowMilliseconds: now)
      let title = name.map { users.count > 1 ? "\($0) (\(user.name))" : $0 } ?? step.label
      cases.append(RulesTestCase(name: title, place: object.place, data: data, steps: [step]))
    }
    return cases
  }

  private mutating func readSteps(
    _ list: LocatedValue, nowMilliseconds: Int64
  ) throws(DocumentProblem) -> [RulesTestStep] {
    guard case .array(let elements) = list.form, !elements.isEmpty else {
      throw document.problem("'steps' must be a list with at least one step.", at: list.place)
    }
    var (steps, now): ([RulesTestStep], Int64) = ([], nowMilliseconds)
    for element in elements {
      let object = try LocatedObject(element, in: document, noun: "a step", names: Self.stepNames)
      now = try object.int("now", "milliseconds since 1970", in: Self.times) ?? now
      if let after = try object.int("after", "milliseconds since the step before", in: Self.times) {
        try refuse(["after"], of: object, besideIfThere: "now")
        now = min(now + after, Self.times.upperBound)
      }
      for user in try readUsers(of: object) {
        steps.append(try readStep(object, as: user, nowMilliseconds: now))
      }
    }
    return steps
  }

  private func refuse(_ names: [String], of object: LocatedObject, besideIfThere name: String) throws(DocumentProblem) {
    if object[name] != nil { try refuse(names, of: object, beside: name) }
  }

  // MARK: Users of a case

  /// Returns the users in `as`: a signed-out client when it is absent or null.
  private func readUsers(of object: LocatedObject) throws(DocumentProblem) -> [RulesTestUser] {
    guard let value = object["as"] else { return [.signedOut] }
    guard case .array(let elements) = value.form else { return [try user(value)] }
    guard !elements.isEmpty else { throw document.problem("'as' is an empty list.", help: "as: null", at: value.place) }
    var found: [RulesTestUser] = []
    for element in elements { found.append(try user(element)) }
    return found
  }

  private func user(_ value: LocatedValue) throws(DocumentProblem) -> RulesTestUser {
    switch value.form {
    case .null: return .signedOut
    case .string(let name):
      if let user = users[name] { return user }
      let names = users.keys.sorted().prefix(20).joined(separator: ", ")
      throw document.problem(
        "Unknown user '\(name)'.",
        help: names.isEmpty
          ? "Define the users under 'users'." : "The users are \(names); null is a signed-out client.",
        at: value.place)
    default:
      throw document.problem(
        "'as' must be a user's name, null or a list of them, not \(value.kind).", at: value.place)
    }
  }

  // MARK: Requests of a case

  private mutating func readStep(
    _ object: LocatedObject, as user: RulesTestUser, nowMilliseconds: Int64
  ) throws(DocumentProblem) -> RulesTestStep {
    stepCount += 1
    guard stepCount <= WorkbenchLimits.stepsMax else {
      throw document.problem("More than \(WorkbenchLimits.stepsMax) steps.", at: object.place)
    }
    let asked = Self.operations.filter { object[$0] != nil }
    guard let operation = asked.first, let pathValue = object[operation] else {
      throw document.problem(
        "The request is missing.", help: "Add read, write, update or delete with a path.", at: object.place)
    }
    if asked.count > 1 { try refuse([asked[1]], of: object, beside: operation) }
    let location = try location(pathValue, allowsPriority: operation == "write" || operation == "delete")
    let request = try request(operation, location, object)
    guard let expected = try object.text("expect"), ["allow", "deny"].contains(expected) else {
      throw document.problem(
        "'expect' must be allow or deny.", help: "expect: allow, or expect: deny",
        at: object["expect"]?.place ?? object.place)
    }
    return RulesTestStep(
      label: "\(user.name) \(operation)s \(location)", place: object.place, user: user, request: request,
      nowMilliseconds: nowMilliseconds, isAllowed: expected == "allow", decider: try decider(object, operation))
  }

  func location(_ value: LocatedValue, allowsPriority: Bool) throws(DocumentProblem) -> Location {
    guard case .string(let text) = value.form else {
      throw document.problem("A path must be a string, not \(value.kind).", help: "/rooms/r1", at: value.place)
    }
    do throws(PathError) {
      let location = try Location(wire: text)
      if location.isPriority, !allowsPriority { throw PathError(.forbiddenCharacter) }
      return location
    } catch {
      let help =
        switch error.code {
        case .emptyKey, .forbiddenCharacter: "A key cannot contain . $ # [ ] or control characters."
        case .keyTooLong: "A key has at most \(DataLimits.keySizeBytesMax) bytes."
        case .tooDeep: "A path has at most \(DataLimits.depthMax) keys."
        }
      throw document.problem("'\(text.prefix(100))' is not a valid path.", help: help, at: value.place)
    }
  }

  private func request(
    _ operation: String, _ location: Location, _ object: LocatedObject
  ) throws(DocumentProblem) -> ProposedRequest {
    if operation != "read" { try refuse(["query"], of: object, beside: operation) }
    switch operation {
    case "read":
      try refuse(["value"], of: object, beside: operation)
      return .read(location.path, try object["query"].map { value throws(DocumentProblem) in try query(value) })
    case "delete":
      try refuse(["value"], of: object, beside: operation)
      return .write(WriteOperation(.put(location, WriteValue(.empty))))
    case "update":
      let value = try value(of: object, help: "value: {name: …, other/path: …}")
      let writes = try LocatedJSON(value).read(in: document) { reader throws(JSONError) in
        try reader.merge(below: location.path.count)
      }
      return .write(WriteOperation(.merge(location.path, writes)))
    default:
      return .write(WriteOperation(.put(location, try written(try value(of: object, help: "value: …"), at: location))))
    }
  }

  /// Returns the value that is written to a location.
  func written(_ value: LocatedValue, at location: Location) throws(DocumentProblem) -> WriteValue {
    try LocatedJSON(value).read(in: document) { reader throws(JSONError) in try reader.writeValue(for: location) }
  }

  private func value(of object: LocatedObject, help: String) throws(DocumentProblem) -> LocatedValue {
    guard let value = object["value"] else {
      throw document.problem("A write needs a value.", help: help, at: object.place)
    }
    return value
  }

  /// Returns the expected rule: `/rooms/$room/.write`, or `none`.
  private func decider(_ object: LocatedObject, _ operation: String) throws(DocumentProblem) -> ExpectedRule? {
    guard let text = try object.text("rule"), let place = object["rule"]?.place else { return nil }
    if text == "none" { return ExpectedRule(name: nil) }
    let kinds = operation == "read" ? [".read"] : [".write", ".validate"]
    guard text.hasPrefix("/"), kinds.contains(where: { text.hasSuffix("/" + $0) }) else {
      throw document.problem(
        "'\(text.prefix(100))' is not a rule that can decide a \(operation).",
        help: "Write the rule's path as in the rules file, with its kind: /rooms/$room/\(kinds[0]); or none.", at: place
      )
    }
    return ExpectedRule(name: text)
  }
}
