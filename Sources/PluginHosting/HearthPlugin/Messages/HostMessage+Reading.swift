import HearthTree

extension HostMessage {
  /// Reads a line, without its end, as a plugin does.
  ///
  /// - Returns: nil for a message that this version of the protocol does not have, which a plugin ignores.
  public init?(line: some Collection<UInt8>) {
    guard let json = JSON(parsing: line) else { return nil }
    if let hello = json["hello"] {
      self = .hello(HostHello(hello))
    } else if let id = json["cancel"]?.int.flatMap({ UInt64(exactly: $0) }) {
      self = .cancel(id: id)
    } else if json["drain"] != nil {
      self = .drain
    } else if let id = json["id"]?.int.flatMap({ UInt64(exactly: $0) }),
      let hook = json["hook"]?.string.flatMap({ PluginHook(rawValue: $0) }), let input = json["input"]
    {
      let deadline = json["deadlineMilliseconds"]?.int ?? 0
      self = .request(PluginRequest(id: id, hook: hook, deadlineMilliseconds: deadline, input: input))
    } else {
      return nil
    }
  }
}

extension HostHello {
  fileprivate init(_ json: JSON) {
    self.init(
      server: json["server"]?.string ?? "", plugin: json["plugin"]?.string ?? "",
      worker: Int(clamping: json["worker"]?.int ?? 0), settings: json["settings"] ?? [:])
    protocols = json["protocols"]?.array?.compactMap(\.int) ?? []
  }
}
