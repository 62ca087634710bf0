import HearthTree

/// The query of a client's request for a socket: `/.ws?v=5&ns=…`.
///
/// Clients send the parameters in any order, and the JavaScript client does not escape them.
public struct Handshake: Sendable {
  /// The path of the request for a socket.
  public static let path = "/.ws"
  /// The protocol version that clients request and the hello states.
  public static let protocolVersion = "5"

  /// The protocol version, `v`.
  public var version: String?
  /// The namespace, `ns`, as sent.
  public var namespace: String?
  /// `ls`: the ID of the client's previous session, which has ended.
  public var lastSession: String?
  /// `s`: the ID of an existing session that the client continues over this socket.
  public var joinedSession: String?
  /// The app's ID, `p`.
  public var appID: String?
  /// The App Check token, `ac`.
  public var appCheckToken: String?
  /// True for `r=f`, which means that the Firebase console opened the socket.
  public var isConsole = false

  /// Reads the parameters.
  ///
  /// - Parameter target: The request target, such as `/.ws?v=5&ns=chat`. When a parameter is repeated, the last one
  ///   counts; a parameter that is not UTF-8 is ignored.
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
