import HearthServer
import HearthTransport

/// Serves a folder that no server runs on for as long as one command works, on a free port of the loopback address:
/// the command does the same then as with a server that was there before, and others find this one.
struct FolderServer {
  let defaultNamespace: String
  let address: ServerAddress
  private let server: HearthServer

  /// - Throws: what a server says of the folder, such as that another process has it open.
  init(dataDirectory: String, settings: FolderSettings) async throws {
    var options = try HearthServer.Options(dataDirectory: dataDirectory, settings: settings)
    options.port = 0
    // Also where it was served for development: a mistyped name must not make a database.
    options.mode = .serve
    options.logger.logLevel = .error
    // The work is done before an event would be answered.
    options.sendsEvents = false
    defaultNamespace = options.defaultNamespace
    server = HearthServer(options: options)
    do {
      try await server.start()
    } catch {
      throw AdminFailure(
        "no server answers on \(dataDirectory)/\(LocalSocket.name), and the folder cannot be opened: \(error). "
          + "--server and --token-file name a server that is reached otherwise.")
    }
    address = ServerAddress(isTLS: false, host: "127.0.0.1", port: server.boundPort ?? 0)
  }

  /// Waits until everything is on the disk.
  func stop() async { await server.stop() }
}
