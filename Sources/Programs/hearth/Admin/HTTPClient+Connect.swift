import Glibc
import HearthServer
import HearthTransport
import NIOCore
import NIOPosix

extension HTTPClient {
  /// The route of connections.
  enum Route: Sendable {
    /// The address's host and port.
    case direct
    /// This IP address instead of the host's own.
    case resolved(String)
    /// The socket of a data folder.
    case local(LocalSocket)
  }

  /// Creates the client of the server that has a data folder open.
  ///
  /// - Throws: when the folder is missing.
  init(dataDirectory: String, token: String) throws {
    // The socket needs no name, and nothing leaves the machine.
    self.init(address: ServerAddress(isTLS: false, host: "localhost", port: 80), token: token)
    route = .local(try LocalSocket(dataDirectory: dataDirectory))
  }

  /// The answering server, for messages: `http://127.0.0.1:9000`.
  var place: String {
    switch route {
    case .direct, .resolved: address.description
    case .local(let socket): socket.path
    }
  }

  /// Returns true when a server answers.
  ///
  /// - Throws: ``Failure`` when a process listens there but does not answer.
  func isAnswered() async throws -> Bool {
    do {
      _ = try await send(method: .GET, target: "/", body: nil)
      return true
    } catch let failure as Failure where failure.isRefusedConnection {
      return false
    }
  }

  /// Returns a connection that `initializer` sets up before anything is sent.
  ///
  /// - Throws: ``Failure``.
  func connect<Value: Sendable>(
    on group: any EventLoopGroup, _ initializer: @escaping @Sendable (any Channel) throws -> Value
  ) async throws -> Value {
    let bootstrap = ClientBootstrap(group: group).connectTimeout(.seconds(10))
    let prepare: @Sendable (any Channel) -> EventLoopFuture<Value> = { channel in
      channel.eventLoop.makeCompletedFuture { try initializer(channel) }
    }
    do {
      return switch route {
      case .direct: try await bootstrap.connect(host: address.host, port: address.port, channelInitializer: prepare)
      case .resolved(let host): try await bootstrap.connect(host: host, port: address.port, channelInitializer: prepare)
      case .local(let socket):
        try await bootstrap.connect(unixDomainSocketPath: socket.connectPath, channelInitializer: prepare)
      }
    } catch {
      // The folder of a stopped server has no socket, that of a killed server a socket that refuses.
      let isRefused = (error as? IOError).map { [ENOENT, ECONNREFUSED].contains($0.errnoCode) } ?? false
      throw Failure(description: "cannot connect to \(place): \(error)", isRefusedConnection: isRefused)
    }
  }
}
