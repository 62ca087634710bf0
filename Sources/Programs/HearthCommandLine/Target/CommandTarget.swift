/// The server or data folder that a command works on.
package struct CommandTarget: Equatable, Sendable {
  /// The kinds of targets.
  package enum Location: Equatable, Sendable {
    /// A data folder, and the server that has it open.
    case folder(String)
    /// A server by its URL. The folder has the administrator's token when no file is named.
    case server(url: String, tokenFolder: String)
  }

  /// The origin of a target, in the order of precedence.
  package enum Origin: Equatable, Sendable {
    case flag
    /// An environment variable of this name.
    case environment(String)
    /// A running `hearth dev` of the current folder.
    case developmentServer(url: String)
    /// The folder `data` in the current folder.
    case currentFolder
    /// The option file of the installed package.
    case package(String)
    /// The folder `data` in the current folder, although it does not exist.
    case fallback
  }

  /// The server or data folder.
  package var location: Location
  /// The source of the decision.
  package var origin: Origin

  /// A target with its origin.
  package init(_ location: Location, from origin: Origin) { (self.location, self.origin) = (location, origin) }

  /// The data folder: that of the target, or the one with the administrator's token.
  package var folder: String {
    switch location {
    case .folder(let path): path
    case .server(_, let tokenFolder): tokenFolder
    }
  }

  /// The target in one line, for the note of a command that writes: `data folder /srv/shop (HEARTH_DATA)`.
  package var description: String {
    let name =
      switch location {
      case .folder(let path): "data folder \(path)"
      case .server(let url, _): "server \(url)"
      }
    return switch origin {
    case .flag, .fallback: name
    case .environment(let variable): "\(name) (\(variable))"
    case .developmentServer(let url): "\(name) (hearth dev on \(url))"
    case .currentFolder: "\(name) (in this folder)"
    case .package(let file): "\(name) (\(file))"
    }
  }
}
