import HearthEngine
import HearthTree
import NIOCore

/// The texts of event streams: events of HTML ("server-sent events"), each of two lines and an empty one.
///
/// Exactly `event: <name>`, `data: <one line>`, line feeds, and no other fields: clients accept neither comments nor
/// ids.
enum StreamText {
  static let keepAlive = make("keep-alive", "null")
  /// The event of an expired or revoked credential. Its data is no JSON: clients compare the text as it is.
  static let credentialEnded = make("auth_revoked", "credential is no longer valid")
  static let permissionDenied = make("cancel", #""Permission denied.""#)
  static let databaseDeleted = make("cancel", #""This database was deleted.""#)
  static let tooLarge = make(
    "cancel", #""The specified payload is too large, please request a location with less data.""#)
  /// The first event of an empty path.
  static let nothing = make("put", #"{"path":"/","data":null}"#)

  private static func make(_ name: StaticString, _ data: StaticString) -> ByteBuffer {
    ByteBuffer(string: "event: \(name)\ndata: \(data)\n\n")
  }
}

/// The form of a stream's events: streams with the same form get the same bytes.
struct StreamForm: Sendable, Hashable {
  /// The number of keys in the path of the request, to which the paths of events are relative.
  var depth: Int
  var json: JSONForm
}

extension Event {
  /// Returns the event's text for streams; nil when it changes nothing for them.
  ///
  /// Without priorities in the form, a change of priorities alone changes nothing.
  func streamText(_ form: StreamForm) -> ByteBuffer? {
    guard path.count >= form.depth else { return nil }
    var writer = JSONWriter()
    switch change {
    case .put(let node):
      guard form.json == .export || !path.isPriority else { return nil }
      writer.begin("put", path, form)
      writer.write(node, form.json)
    case .merge(let entries):
      let shown = form.json == .export ? entries : entries.filter { !$0.path.isPriority }
      guard !shown.isEmpty else { return nil }
      writer.begin("patch", path, form)
      for (i, entry) in shown.enumerated() {
        writer.write(raw: i == 0 ? "{" : ",")
        writer.write(entry.path.keys.map(\.text).joined(separator: "/"))
        writer.write(raw: ":")
        writer.write(entry.node, form.json)
      }
      writer.write(raw: "}")
    case .ranges: return nil  // because a stream listens without range hashes
    }
    writer.write(raw: "}\n\n")
    return ByteBuffer(bytes: writer.bytes)
  }
}

extension JSONWriter {
  fileprivate mutating func begin(_ name: StaticString, _ path: Path, _ form: StreamForm) {
    write(raw: "event: ")
    write(raw: name)
    write(raw: "\ndata: {\"path\":")
    write(Path(Array(path.keys.dropFirst(form.depth))).description)
    write(raw: ",\"data\":")
  }
}

extension Path {
  /// True when the last key is the name of a priority in events.
  fileprivate var isPriority: Bool { keys.last == Self.priorityKey }

  private static let priorityKey: Key = ".priority"
}
