import HearthEngine
import HearthTree
import HearthWire

@testable import HearthGateway
@testable import HearthTransport

// Outputs of a session in one line each.

extension ClientSession.Output {
  var summary: String {
    switch self {
    case .submit(let action, let request): "submit \(action.name) \(request ?? -1)"
    case .send(let message): "send \(message.summary)"
    case .verify(let credential): "verify \(credential.token)"
    case .switchTransports: "switch"
    case .close: "close"
    }
  }
}

extension Command.Action {
  var name: String {
    switch self {
    case .listen: "listen"
    case .authenticate: "authenticate"
    case .unauthenticate: "unauthenticate"
    case .write: "write"
    case .unlisten(let path, let query, let tag):
      "unlisten \(path)\(query == nil ? "" : " query")\(tag.map { " tag \($0)" } ?? "")"
    case .get(let path, let query): "get \(path)\(query == nil ? "" : " query")"
    case .onDisconnect(.put(let location, _)): "onDisconnect put \(location)"
    case .onDisconnect(.merge(let path, let writes)):
      "onDisconnect merge \(path) \(writes.map { "\($0.location)" }.joined(separator: " "))"
    case .cancelOnDisconnect(let location): "cancelOnDisconnect \(location)"
    default: "other"
    }
  }
}

extension ServerMessage {
  var text: String { String(decoding: encoded(), as: UTF8.self) }

  var summary: String {
    switch self {
    case .pong: "pong"
    case .reply(let number, let status, .text(let text)): "reply \(number) \(status.rawValue) \(text)"
    case .reply(let number, let status, _): "reply \(number) \(status.rawValue)"
    default: "other"
    }
  }
}
