import HearthTree

extension PluginMessage {
  /// The message on the wire.
  public var json: JSON {
    switch self {
    case .hello(let hello):
      .object([
        .init(
          "hello",
          .object([
            .init("protocol", .int(hello.protocolVersion)), .init("name", .string(hello.name)),
            .init("version", .string(hello.version)), .init("hooks", .array(hello.hooks.map { .string($0) })),
          ]))
      ])
    case .output(let id, let output): .object([.init("id", .int(Int64(clamping: id))), .init("output", output)])
    case .failure(let id, let failure):
      .object([
        .init("id", .int(Int64(clamping: id))),
        .init(
          "error",
          .object([
            .init("message", .string(failure.message)), .init("isTemporary", .bool(failure.isTemporary)),
          ])),
      ])
    case .revoke(let revocation): .object([.init("revoke", revocation.json)])
    }
  }

  /// The message as a line, its end included.
  public var line: [UInt8] { json.text() + [UInt8(ascii: "\n")] }
}

extension PluginHello {
  /// A greeting of a plugin that speaks this version of the protocol.
  public init(name: String, version: String, hooks: [PluginHook]) {
    protocolVersion = HostHello.protocolVersion
    self.name = name
    self.version = version
    self.hooks = hooks.map(\.rawValue)
  }
}
