import HearthSync
import HearthTree

extension Scenario {
  /// Reads a file of scenarios: a JSON array of `{name, steps}`.
  ///
  /// - Throws: ``ScenarioError`` with the line, or the scenario and step, of the defect.
  package static func read(_ text: String) throws(ScenarioError) -> [Scenario] {
    let bytes = Array(text.utf8)
    let json: JSON
    do throws(JSONError) {
      json = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        var reader = JSONReader(UnsafeRawBufferPointer(bytes), limits: limits)
        let value = try reader.value()
        try reader.end()
        return value
      }
    } catch {
      let before = bytes.prefix(max(error.offset, 0))
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      throw ScenarioError(description: "line \(line), column \(column): \(error.message)")
    }
    guard let list = json.array else {
      throw ScenarioError(description: "a file of scenarios must be a JSON array of objects with name and steps")
    }
    var scenarios: [Scenario] = []
    for (i, item) in list.enumerated() {
      guard let name = item["name"]?.string else {
        throw ScenarioError(description: "scenario \(i + 1): it has no name; give it a string")
      }
      do throws(ScenarioError) {
        scenarios.append(try scenario(name, item))
      } catch {
        throw ScenarioError(description: "scenario \(i + 1), \"\(name)\": \(error.description)")
      }
    }
    return scenarios
  }

  /// Limits above those for requests, because scenario files are trusted.
  private static var limits: JSONLimits {
    var limits = JSONLimits()
    limits.generalValuesMax = 10_000_000
    return limits
  }

  private static func scenario(_ name: String, _ json: JSON) throws(ScenarioError) -> Scenario {
    guard let list = json["steps"]?.array else { throw ScenarioError(description: "it has no steps; give it an array") }
    var steps: [Step] = []
    for (i, item) in list.enumerated() {
      do throws(ScenarioError) {
        steps.append(try StepReader(item).step())
      } catch {
        throw ScenarioError(description: "step \(i + 1): \(error.description)")
      }
    }
    return Scenario(name: name, steps: steps)
  }
}

/// Reads one step.
private struct StepReader {
  let json: JSON

  init(_ json: JSON) { self.json = json }

  func step() throws(ScenarioError) -> Scenario.Step {
    var events: [Scenario.Expectation] = []
    for (i, item) in try list("events").enumerated() {
      do throws(ScenarioError) {
        events.append(try StepReader(item).expectation())
      } catch {
        throw ScenarioError(description: "event \(i + 1): \(error.description)")
      }
    }
    return Scenario.Step(action: try action(), events: events)
  }

  private func action() throws(ScenarioError) -> Scenario.Action {
    switch try text("type") {
    case "listen": .listen(try path(), try query(), callback: try number("callbackId"))
    case "unlisten": .unlisten(try path(), try query(), callback: try number("callbackId"))
    case "serverUpdate": .serverUpdate(try location(), try data(), tag: try number("tag"))
    case "serverMerge": .serverMerge(try path(), try changes(), tag: try number("tag"))
    case "set": .set(try location(), try data(), isVisible: try flag("visible") ?? true)
    case "update": .update(try path(), try changes())
    case "ackUserWrite": .ackUserWrite(try writeID(), isReverted: try flag("revert") ?? false)
    case "suppressWarning": .suppressWarning
    case let other:
      throw ScenarioError(
        description: "\"\(other)\" is no type of step; there are listen, unlisten, serverUpdate, serverMerge, set, "
          + "update, ackUserWrite and suppressWarning")
    }
  }

  private func expectation() throws(ScenarioError) -> Scenario.Expectation {
    let types: [String: EventTypes] = [
      "value": .value, "child_added": .childAdded, "child_removed": .childRemoved, "child_changed": .childChanged,
      "child_moved": .childMoved,
    ]
    let name = try text("type")
    guard let type = types[name] else {
      throw ScenarioError(description: "\"\(name)\" is no type of event; there are \(types.keys.sorted())")
    }
    return Scenario.Expectation(
      path: try path(), type: type, name: type == .value ? nil : Key(try text("name")),
      previousName: json["prevName"]?.string.map { Key($0) }, data: try data())
  }

  // MARK: Members

  private func list(_ name: String) throws(ScenarioError) -> [JSON] {
    guard let value = json[name] else { return [] }
    guard let list = value.array else { throw ScenarioError(description: "\(name) must be an array") }
    return list
  }

  private func text(_ name: String) throws(ScenarioError) -> String {
    guard let text = json[name]?.string else { throw ScenarioError(description: "\(name) must be a string") }
    return text
  }

  private func flag(_ name: String) throws(ScenarioError) -> Bool? {
    guard let value = json[name] else { return nil }
    guard let flag = value.bool else { throw ScenarioError(description: "\(name) must be true or false") }
    return flag
  }

  private func number(_ name: String) throws(ScenarioError) -> Int? {
    guard let value = json[name] else { return nil }
    guard let number = value.int else { throw ScenarioError(description: "\(name) must be a whole number") }
    return Int(number)
  }

  private func writeID() throws(ScenarioError) -> Int {
    guard let id = try number("writeId") else {
      throw ScenarioError(description: "writeId must be the number of a set or update, counted from 0")
    }
    return id
  }

  private func path() throws(ScenarioError) -> Path { try location().path }

  private func location() throws(ScenarioError) -> Location { try Self.location(try text("path")) }

  private static func location(_ text: String) throws(ScenarioError) -> Location {
    do throws(PathError) {
      return try Location(wire: text)
    } catch {
      throw ScenarioError(description: "\"\(text)\" is no path: \(error)")
    }
  }

  private func data() throws(ScenarioError) -> Node {
    guard let value = json["data"] else { throw ScenarioError(description: "it has no data; null is nothing") }
    return try Self.node(value)
  }

  private func changes() throws(ScenarioError) -> [(Location, Node)] {
    guard let members = json["data"]?.members else {
      throw ScenarioError(description: "data must be an object of paths and what comes there")
    }
    var changes: [(Location, Node)] = []
    for member in members { changes.append((try Self.location(member.name), try Self.node(member.value))) }
    return changes
  }

  /// Reads data in the format that clients export.
  private static func node(_ json: JSON) throws(ScenarioError) -> Node {
    let text = json.text()
    do throws(JSONError) {
      return try text.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        var reader = JSONReader(UnsafeRawBufferPointer(bytes))
        return try reader.writeValue().node
      }
    } catch {
      throw ScenarioError(description: "data \(String(decoding: text, as: UTF8.self)): \(error.message)")
    }
  }

  // MARK: Queries

  private func query() throws(ScenarioError) -> Query {
    guard let parameters = json["params"] else { return Query() }
    guard let members = parameters.members else { throw ScenarioError(description: "params must be an object") }
    let reader = StepReader(parameters)
    var query = Query()
    guard parameters["tag"] != nil else {
      throw ScenarioError(description: "params must have a tag: the how-many-th filtered listen it is")
    }
    for member in members {
      switch member.name {
      case "tag": break
      case "orderBy": query.order = .child(Path(try reader.text("orderBy")))
      case "orderByKey": query.order = .key
      case "orderByValue": query.order = .value
      case "orderByPriority": query.order = .priority
      case "startAt": query.start = try Self.bound(member)
      case "endAt": query.end = try Self.bound(member)
      case "startAfter":
        let bound = try Self.bound(member)
        query.start = .after(bound.value, key: bound.key)
      case "endBefore":
        let bound = try Self.bound(member)
        query.end = .before(bound.value, key: bound.key)
      case "equalTo":
        query.start = try Self.bound(member)
        query.end = query.start
      case "limitToFirst": query.limit = .first(try reader.number("limitToFirst") ?? 0)
      case "limitToLast": query.limit = .last(try reader.number("limitToLast") ?? 0)
      case let other: throw ScenarioError(description: "\(other) is no parameter of a query")
      }
    }
    return query
  }

  private static func bound(_ member: JSON.Member) throws(ScenarioError) -> Query.Bound {
    let name = member.value["name"]
    guard let index = member.value["index"] else {
      throw ScenarioError(description: "\(member.name) must be an object with an index, and a name if need be")
    }
    guard let key = name else { return Query.Bound(value: try node(index).scalar) }
    guard let text = key.string else { throw ScenarioError(description: "\(member.name): name must be a string") }
    return Query.Bound(value: try node(index).scalar, key: Query.BoundKey(text))
  }
}
