import HearthTree

/// A message from a plugin's process to the server: one JSON object on a line. The server ignores members that it does
/// not know.
public enum PluginMessage: Sendable, Equatable {
  /// The answer to ``HostMessage/hello(_:)``, once the plugin is ready for requests.
  case hello(PluginHello)
  /// The output of a hook. Answers may come in any order.
  case output(id: UInt64, JSON)
  /// The plugin could not decide on the request or carry it out.
  case failure(id: UInt64, PluginFailure)
  /// A revocation of tokens that the plugin had verified. Comes at any time after the hello.
  case revoke(TokenRevocation)

  /// Reads a line, without its end.
  ///
  /// - Throws: ``PluginFault`` when the line is no message.
  public init(line: some Collection<UInt8>) throws(PluginFault) {
    guard let json = JSON(parsing: line), json.members != nil else { throw .notJSON }
    try self.init(json)
  }

  private init(_ json: JSON) throws(PluginFault) {
    if let hello = json["hello"] {
      self = .hello(try PluginHello(hello))
      return
    }
    if let revocation = json["revoke"] {
      self = .revoke(TokenRevocation(revocation))
      return
    }
    guard let id = json["id"]?.int.flatMap({ UInt64(exactly: $0) }) else { throw .unknownMessage }
    if let failure = json["error"] {
      let message = failure["message"]?.string ?? "the plugin reported an error"
      self = .failure(id: id, PluginFailure(message, isTemporary: failure["isTemporary"]?.bool ?? false))
    } else if let output = json["output"] {
      self = .output(id: id, output)
    } else {
      throw .unknownMessage
    }
  }
}

/// The contents of a plugin process's greeting.
public struct PluginHello: Sendable, Equatable {
  /// The protocol version that the plugin chose among those offered.
  public var protocolVersion: Int64
  /// The plugin's name in its manifest.
  public var name: String
  /// The plugin's version in its manifest.
  public var version: String
  /// The hooks that the plugin answers, by their names in messages; the server ignores those that it does not know.
  public var hooks: [String]

  init(_ json: JSON) throws(PluginFault) {
    guard let version = json["protocol"]?.int else { throw .unknownMessage }
    protocolVersion = version
    name = json["name"]?.string ?? ""
    self.version = json["version"]?.string ?? ""
    hooks = json["hooks"]?.array?.compactMap(\.string) ?? []
  }
}

/// The reason why a plugin did not carry out a request, in its own words.
public struct PluginFailure: Error, Sendable, Equatable {
  /// The text for the operator's log, never for clients: no secret and no personal data.
  public var message: String
  /// True when another attempt may succeed.
  public var isTemporary: Bool

  /// Creates a failure with the given text.
  public init(_ message: String, isTemporary: Bool) {
    self.message = message
    self.isTemporary = isTemporary
  }
}

/// A line of a plugin's process that is no message, or not one that is allowed at that point.
public enum PluginFault: String, Error, Sendable, Equatable {
  /// A line that is no JSON object.
  case notJSON = "a line that is not a JSON object"
  /// An object that is none of the messages.
  case unknownMessage = "an object that is not a message"
  /// An answer to a request that this process was not sent.
  case unknownID = "an answer to an unknown request"
  /// A second hello, or an answer before the first.
  case outOfTurn = "an unexpected message"
}
