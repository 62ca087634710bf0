import HearthEngine
import HearthRules
import HearthTree
import NIOCore

extension ProposedRequest {
  private static let operations = ["read", "write", "update", "delete"]

  /// Reads a request that is described in JSON: one of `read`, `write`, `update` and `delete` names the path; ``json``
  /// is the inverse.
  ///
  /// - Throws: 400, with the refusal that the request itself would get.
  init(_ json: JSON) throws(RESTFailure) {
    let named = Self.operations.filter { json[$0] != nil }
    guard named.count == 1, let text = json[named[0]]?.string else {
      throw RESTFailure(400, "a request needs one of read, write, update and delete, with a path")
    }
    guard let location = try? Location(wire: text) else { throw .invalidPath }
    switch named[0] {
    case "read":
      guard !location.isPriority else { throw .invalidPath }
      do throws(QueryError) {
        self = .read(location.path, try json["query"].map { json throws(QueryError) in try Query(wire: json) })
      } catch {
        throw RESTFailure(400, error.message)
      }
    case "delete": self = .write(WriteOperation(.put(location, WriteValue(.empty))))
    case "update":
      guard !location.isPriority else { throw .invalidPath }
      guard let writes = try RESTBody.merge(Self.body(json), at: location.path) else { throw .invalidMerge }
      self = .write(WriteOperation(.merge(location.path, writes)))
    default: self = .write(WriteOperation(.put(location, try RESTBody.value(Self.body(json), for: location))))
    }
  }

  /// Returns a request that is described in JSON, as rules see it: with `auth` and `now`, if present.
  ///
  /// - Throws: 400, with the server's refusal of the request before it evaluates rules.
  static func described(
    by json: JSON, on root: Node, nowMilliseconds: Int64
  ) throws(RESTFailure) -> (request: ProposedRequest, prepared: RulesRequest, nowMilliseconds: Int64) {
    let request = try ProposedRequest(json)
    let now = try json.count("now") ?? nowMilliseconds
    let auth = json["auth"].flatMap { $0 == .null ? nil : $0 }
    do throws(Failure) {
      return (request, try request.prepared(on: root, auth: auth, nowMilliseconds: now), now)
    } catch {
      throw RESTFailure(400, error.message)
    }
  }

  private static func body(_ json: JSON) throws(RESTFailure) -> ByteBuffer {
    guard let value = json["value"] else { throw RESTFailure(400, "a write needs a value; null deletes") }
    return ByteBuffer(bytes: value.text())
  }

  /// The request in JSON, which ``init(_:)`` reads.
  package var json: JSON {
    switch self {
    case .read(let path, let query):
      var json: JSON = ["read": .string(path.description)]
      if let query { json["query"] = query.wire }
      return json
    case .write(let operation):
      switch operation.change {
      case .put(let location, let value):
        return ["write": .string(location.description), "value": Self.json(value, at: location)]
      case .merge(let path, let writes):
        let members = writes.map {
          JSON.Member(String($0.location.description.dropFirst()), Self.json($0.value, at: $0.location))
        }
        return ["update": .string(path.description), "value": .object(members)]
      }
    }
  }

  private static func json(_ value: WriteValue, at location: Location) -> JSON {
    var writer = JSONWriter()
    writer.write(value, at: location)
    return JSON(parsing: writer.bytes) ?? .null
  }
}
