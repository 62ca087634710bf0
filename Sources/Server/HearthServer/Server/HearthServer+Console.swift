import HearthAccounts

extension HearthServer {
  /// A one-time link into the console, at the address that this machine's browsers reach it by; nil without a console, and
  /// while the server is not running.
  ///
  /// - Parameter isReadOnly: whoever opens it reads everything and changes nothing.
  public func makeConsoleLink(isReadOnly: Bool = false) async -> String? {
    guard let console = parts?.routes.console else { return nil }
    return try? await console.makeLink(isReadOnly ? .viewer : .administrator, for: "server-start", by: .server)
  }
}
