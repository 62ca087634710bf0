import HearthTree

/// A message from the server to a plugin that runs in a process of its own: one JSON object on a line.
public enum HostMessage: Sendable, Equatable {
  /// The first message to a new process. No other follows before it answers with ``PluginMessage/hello(_:)``.
  case hello(HostHello)
  /// A call of a hook.
  case request(PluginRequest)
  /// A notice that the server no longer waits for the answer to this request. The plugin may still answer it.
  case cancel(id: UInt64)
  /// A notice that no further request comes: the plugin answers those that are under way, then ends.
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

/// The contents of the first message to a plugin's process.
public struct HostHello: Sendable, Equatable {
  /// The protocol versions that the server speaks.
  public var protocols: [Int64]
  /// The server's name and version, for the plugin's log.
  public var server: String
  /// The plugin's name in its manifest.
  public var plugin: String
  /// The index of this process among the plugin's processes, from 0 on.
  public var worker: Int
  /// The operator's settings, secrets among them.
  public var settings: JSON

  /// Creates a first message of protocol version ``protocolVersion``.
  public init(server: String, plugin: String, worker: Int, settings: JSON) {
    protocols = [Self.protocolVersion]
    self.server = server
    self.plugin = plugin
    self.worker = worker
    self.settings = settings
  }

  /// The version that this server speaks. Fields and hooks may be added within a version; both sides ignore those they
  /// do not know.
  public static let protocolVersion: Int64 = 1

  fileprivate var json: JSON {
    [
      "protocols": .array(protocols.map { .int($0) }), "server": .string(server), "plugin": .string(plugin),
      "worker": .int(Int64(worker)), "settings": settings,
    ]
  }
}

/// A call of a plugin's hook.
public struct PluginRequest: Sendable, Equatable {
  /// The request's id, unique in the life of the process; the answer has the same.
  public var id: UInt64
  /// The hook that is called.
  public var hook: PluginHook
  /// The time that the server waits for the answer, from now on.
  public var deadlineMilliseconds: Int64
  /// The input of ``hook``. It may hold passwords and keys: a plugin logs none of it.
  public var input: JSON

  /// Creates a request with these fields.
  public init(id: UInt64, hook: PluginHook, deadlineMilliseconds: Int64, input: JSON) {
    self.id = id
    self.hook = hook
    self.deadlineMilliseconds = deadlineMilliseconds
    self.input = input
  }
}

extension PluginRequest: CustomStringConvertible, CustomReflectable {
  /// The id and the hook; no part of the input.
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
