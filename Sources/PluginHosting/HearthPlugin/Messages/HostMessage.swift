import HearthTree

/// What the server says to a plugin that runs in a process of its own: one JSON object on a line.
public enum HostMessage: Sendable, Equatable {
  /// The first message to a new process. Nothing follows before it answers with ``PluginMessage/hello(_:)``.
  case hello(HostHello)
  /// Asks a hook.
  case request(PluginRequest)
  /// Nobody waits for the answer to the request of that id any more. The plugin may still answer it.
  case cancel(id: UInt64)
  /// No further request comes: answer those that are under way, then end.
  case drain

  /// The message on the wire.
  public var json: JSON {
    switch self {
    case .hello(let hello): ["hello": hello.json]
    case .request(let request):
      [
        "id": .int(Int64(clamping: request.id)), "hook": .string(request.hook.rawValue),
        "deadlineMilliseconds": .int(request.deadlineMilliseconds), "input": request.input,
      ]
    case .cancel(let id): ["cancel": .int(Int64(clamping: id))]
    case .drain: ["drain": [:]]
    }
  }

  /// The message as a line, its end included.
  public var line: [UInt8] { json.text() + [UInt8(ascii: "\n")] }
}

/// What a plugin's process is told first.
public struct HostHello: Sendable, Equatable {
  /// The versions of these messages that the server speaks.
  public var protocols: [Int64]
  /// The server's name and version, for the plugin's log.
  public var server: String
  /// The plugin's name, as its manifest has it.
  public var plugin: String
  /// Which of the plugin's processes this is, from 0 on.
  public var worker: Int
  /// The operator's settings, secrets among them.
  public var settings: JSON

  /// A first message of protocol version ``protocolVersion``.
  public init(server: String, plugin: String, worker: Int, settings: JSON) {
    protocols = [Self.protocolVersion]
    self.server = server
    self.plugin = plugin
    self.worker = worker
    self.settings = settings
  }

  /// The version that this server speaks. Fields and hooks may be added within a version; neither side minds what it does
  /// not know.
  public static let protocolVersion: Int64 = 1

  fileprivate var json: JSON {
    [
      "protocols": .array(protocols.map { .int($0) }), "server": .string(server), "plugin": .string(plugin),
      "worker": .int(Int64(worker)), "settings": settings,
    ]
  }
}

/// One question to a plugin.
public struct PluginRequest: Sendable, Equatable {
  /// Unique in the life of the process; the answer has the same.
  public var id: UInt64
  /// Who is asked.
  public var hook: PluginHook
  /// The time that the server waits, from now on.
  public var deadlineMilliseconds: Int64
  /// What ``hook`` takes. It may hold passwords and keys: a plugin logs none of it.
  public var input: JSON

  /// A question.
  public init(id: UInt64, hook: PluginHook, deadlineMilliseconds: Int64, input: JSON) {
    self.id = id
    self.hook = hook
    self.deadlineMilliseconds = deadlineMilliseconds
    self.input = input
  }
}

extension PluginRequest: CustomStringConvertible, CustomReflectable {
  /// The id and the hook; nothing of the input.
  public var description: String { "<PluginRequest \(id): \(hook.rawValue)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HostHello: CustomStringConvertible, CustomReflectable {
  /// The plugin and the worker; none of the settings.
  public var description: String { "<HostHello to \(plugin), worker \(worker)>" }
  /// Empty, so that a dump shows no more than the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
