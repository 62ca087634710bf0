import HearthServer

/// A server with the databases and rules for a command.
struct ServedDatabases: Sendable {
  let http: HTTPClient
  /// The answering server, for messages.
  let place: String
  /// True when the server was running before the command and goes on after it.
  let isRunning: Bool
  /// The default namespace; nil when only the server knows it.
  let defaultNamespace: String?
}

extension AdminOptions {
  /// Finds the server of `--server` or of the data folder, or serves the folder during the work.
  ///
  /// - Parameter refusal: The message when no server runs and the folder alone does not suffice.
  func withDatabases<Value: Sendable>(
    orRefuse refusal: String? = nil, _ work: (ServedDatabases) async throws -> Value
  ) async throws -> Value {
    if let http = try await server() {
      let file = try isRemote() ? nil : ServerFile.read(dataDirectory: folder())
      let name = file.flatMap { $0.defaultNamespace.isEmpty ? nil : $0.defaultNamespace }
      return try await work(
        ServedDatabases(http: http, place: "the server on \(http.place)", isRunning: true, defaultNamespace: name))
    }
    if let refusal { throw AdminFailure(refusal) }
    let folder = try folder()
    let settings = FolderSettings.read(in: folder).with(self)
    let server = try await FolderServer(dataDirectory: folder, settings: settings)
    do {
      let http = HTTPClient(address: server.address, token: try DataOption.keys(in: folder).adminToken)
      let value = try await work(
        ServedDatabases(
          http: http, place: "the folder \(folder)", isRunning: false, defaultNamespace: server.defaultNamespace))
      await server.stop()
      return value
    } catch {
      await server.stop()
      throw error
    }
  }
}
