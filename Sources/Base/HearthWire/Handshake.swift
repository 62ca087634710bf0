import HearthTree

/// The query of a client's request for a socket: `/.ws?v=5&ns=…`.
///
/// Clients order the parameters as they like, and the JavaScript one does not escape them.
public struct Handshake: Sendable {
  /// The path that sockets are opened at.
  public static let path = "/.ws"
  /// The protocol version that clients ask for and the hello names.
  public static let protocolVersion = "5"

  /// The protocol version, `v`.
  public var version: String?
  /// The namespace, `ns`, as sent.
  public var namespace: String?
  /// `ls`: the former session of this client, which is over now.
  public var lastSession: String?
  /// `s`: an existing session that the client wants to go on with over this socket.
  public var joinedSession: String?
  /// The app's id, `p`.
  public var appID: String?
  /// The App Check token, `ac`.
  public var appCheckToken: String?
  /// True for `r=f`: opened by the Firebase console.
  public var isConsole = false

  /// - Parameter target: the request target, such as `/.ws?v=5&ns=chat`. Of a repeated parameter the last counts;
  ///   one that is not UTF-8 does not.
  public init(target: String) {
    let query = target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") }
    for parameter in query.split(separator: UInt8(ascii: "&")) {
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      guard let value = PercentEncoding.decodeLeniently(parameter.dropFirst(name.count + 1)) else { continue }
      set(String(Substring(name)), value)
    }
  }

  private mutating func set(_ name: String, _ value: String) {
    switch name {
    case "v": version = value
    case "ns": namespace = value
    case "ls": lastSession = value.isEmpty ? nil : value
    case "s": joinedSession = value.isEmpty ? nil : value
    case "p": appID = value
    case "ac": appCheckToken = value
    case "r": isConsole = value == "f"
    default: break
    }
  }
}
