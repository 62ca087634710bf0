import HearthTree

extension PluginMessage {
  /// The message on the wire.
  public var json: JSON {
    switch self {
    case .hello(let hello):
      [
        "hello": [
          "protocol": .int(hello.protocolVersion), "name": .string(hello.name), "version": .string(hello.version),
          "hooks": .array(hello.hooks.map { .string($0) }),
        ]
      ]
    case .output(let id, let output): ["id": .int(Int64(clamping: id)), "output": output]
    case .failure(let id, let failure):
      [
        "id": .int(Int64(clamping: id)),
        "error": ["message": .string(failure.message), "isTemporary": .bool(failure.isTemporary)],
      ]
    case .revoke(let revocation): ["revoke": revocation.json]
    }
  }

  /// The message as a line, its end included.
  public var line: [UInt8] { json.text() + [UInt8(ascii: "\n")] }
}

extension PluginHello {
  /// Creates a greeting of a plugin that speaks this version of the protocol.
  public init(name: String, version: String, hooks: [PluginHook]) {
    protocolVersion = HostHello.protocolVersion
    self.name = name
    self.version = version
    self.hooks = hooks.map(\.rawValue)
  }
}
