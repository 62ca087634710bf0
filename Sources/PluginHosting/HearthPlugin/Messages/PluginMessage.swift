import HearthTree

/// What a plugin's process says to the server: one JSON object on a line. Members that the server does not know are passed
/// over.
public enum PluginMessage: Sendable, Equatable {
  /// The answer to ``HostMessage/hello(_:)``, once the plugin can be asked.
  case hello(PluginHello)
  /// What a hook came to. Answers may come in any order.
  case output(id: UInt64, JSON)
  /// The plugin could not decide or do what it was asked.
  case failure(id: UInt64, PluginFailure)
  /// Tokens that the plugin vouched for count no longer. Comes at any time after the hello.
  case revoke(TokenRevocation)

  /// Reads a line, without its end.
  ///
  /// - Throws: ``PluginFault`` for anything that is no message.
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

/// What a plugin's process says of itself.
public struct PluginHello: Sendable, Equatable {
  /// The version of the messages that it chose out of those it was offered.
  public var protocolVersion: Int64
  /// As the manifest has it.
  public var name: String
  /// As the manifest has it.
  public var version: String
  /// The hooks that it answers, by their names in messages; those that the server does not know are passed over.
  public var hooks: [String]

  init(_ json: JSON) throws(PluginFault) {
    guard let version = json["protocol"]?.int else { throw .unknownMessage }
    protocolVersion = version
    name = json["name"]?.string ?? ""
    self.version = json["version"]?.string ?? ""
    hooks = json["hooks"]?.array?.compactMap(\.string) ?? []
  }
}

/// Why a plugin did not do what it was asked, in its own words.
public struct PluginFailure: Error, Sendable, Equatable {
  /// For the operator's log, never for clients: no secret, and nobody's data.
  public var message: String
  /// It may go better when it is tried again.
  public var isTemporary: Bool

  /// A failure with these words.
  public init(_ message: String, isTemporary: Bool) {
    self.message = message
    self.isTemporary = isTemporary
  }
}

/// A line of a plugin's process that is no message, or none that belongs there.
public enum PluginFault: String, Error, Sendable, Equatable {
  /// No JSON object.
  case notJSON = "a line that is no JSON object"
  /// An object that is none of the messages.
  case unknownMessage = "an object that is no message"
  /// An answer to something that this process was not asked.
  case unknownID = "an answer to what it was not asked"
  /// A second hello, or an answer before the first.
  case outOfTurn = "a message out of turn"
}
