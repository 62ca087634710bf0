import HearthPlugin

/// The transport of messages to a plugin and back.
package enum PluginCarrier: Sendable, Equatable {
  /// The pipes of a program that the server starts: the program and its arguments. A word that begins with `./` is a
  /// file of the plugin; a program without a slash is looked up in the system's folders.
  case process(command: [String])
  /// Signed requests to a service that runs independently.
  case webhook(PluginService)

  /// True when the plugin is a service and not a program that the server starts.
  package var isService: Bool { if case .webhook = self { true } else { false } }

  /// The plugin's files that the carrier names, as `./file`.
  var files: [String] {
    switch self {
    case .process(let command): command.filter { $0.hasPrefix("./") }
    case .webhook(let service): [service.authority].compactMap(\.self)
    }
  }

  init(_ reader: SettingsReader) throws(SettingsError) {
    let authority = try reader.text("authority")
    if let url = try reader.text("url") {
      guard reader.json("command") == nil else { throw reader.error("url", "cannot be combined with command") }
      guard url.utf8.count <= 2_048, url.hasPrefix("https://") || url.hasPrefix("http://"),
        url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { throw reader.error("url", "must begin with https:// or http://") }
      guard authority.map({ $0.hasPrefix("./") && Self.isWord($0) }) ?? true else {
        throw reader.error("authority", "must be a ./file of the plugin")
      }
      self = .webhook(PluginService(url: url, authority: authority))
      return
    }
    guard authority == nil else { throw reader.error("authority", "is only allowed with url") }
    let command = try reader.texts("command") ?? []
    guard let program = command.first, !program.contains("/") || program.hasPrefix("/") || program.hasPrefix("./"),
      command.allSatisfy(Self.isWord)
    else {
      throw reader.error("command", "must be a list: a program, or a ./file of the plugin, and its arguments")
    }
    self = .process(command: command)
  }

  /// Returns true when the word can be an argument, and does not lead out of the plugin's folder.
  private static func isWord(_ word: String) -> Bool {
    !word.utf8.contains(0) && !(word.hasPrefix("./") && word.split(separator: "/").contains(".."))
  }
}

/// A service that is called over HTTP.
package struct PluginService: Sendable, Equatable {
  /// The URL that messages are posted to.
  package var url: String
  /// A `./file` of the plugin with the certificates to trust there, in place of the system's. It is used when the URL names this
  /// machine, or the operator allows a private address.
  package var authority: String?
}
