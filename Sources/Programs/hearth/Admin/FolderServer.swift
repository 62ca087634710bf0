import HearthServer
import HearthTransport

/// A server for a stopped folder while one command works, on a free port of the loopback address: the command works as
/// with a running server, and other commands find this one.
struct FolderServer {
  let defaultNamespace: String
  let address: ServerAddress
  private let server: HearthServer

  /// - Throws: a server's error about the folder, such as that another process has it open.
  init(dataDirectory: String, settings: FolderSettings) async throws {
    var options = try HearthServer.Options(dataDirectory: dataDirectory, settings: settings)
    options.port = 0
    // Also for a development folder, because a mistyped name must not create a database.
    options.mode = .serve
    options.logger.logLevel = .error
    // The command ends before an event could be answered.
    options.sendsEvents = false
    defaultNamespace = options.defaultNamespace
    server = HearthServer(options: options)
    do {
      try await server.start()
    } catch {
      throw AdminFailure(
        "no server runs on \(dataDirectory), and the folder cannot be opened: \(error). To use a server elsewhere, name "
          + "it with --server and --token-file.")
    }
    address = ServerAddress(isTLS: false, host: "127.0.0.1", port: server.boundPort ?? 0)
  }

  /// Stops the server once everything is on the disk.
  func stop() async { await server.stop() }
}
