import HearthAccounts

extension HearthServer {
  /// Makes a one-time link into the console, at the URL for this machine's browsers; nil without a console, and while
  /// the server is not running.
  ///
  /// - Parameter isReadOnly: true for a session that may read all data and change none.
  public func makeConsoleLink(isReadOnly: Bool = false) async -> String? {
    guard let console = parts?.routes.console else { return nil }
    return try? await console.makeLink(isReadOnly ? .viewer : .administrator, for: "server-start", by: .server)
  }
}
