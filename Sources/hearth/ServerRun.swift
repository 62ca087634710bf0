import Glibc
import HearthServer
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs a server until a signal asks it to stop, and tells where it is.
struct ServerRun {
  var server: HearthServer
  var started: ContinuousClock.Instant
  var rulesWatch: RulesWatch?
  var isEmulator = false

  func run() async throws {
    try await server.start()
    announce()
    var services: [any Service] = [RunningServer(server: server)]
    if let rulesWatch { services.append(rulesWatch) }
    let group = ServiceGroup(
      services: services, gracefulShutdownSignals: [.sigint, .sigterm], logger: server.options.logger)
    try await group.run()
  }

  private func announce() {
    let scheme = server.options.tls == nil ? "http" : "https"
    let socket = server.options.tls == nil ? "ws" : "wss"
    let host = server.options.host.contains(":") ? "[\(server.options.host)]" : server.options.host
    let place = "\(host):\(server.boundPort ?? server.options.port)"
    let milliseconds = (ContinuousClock.now - started) / .milliseconds(1)
    Output.line("hearth: ready in \(Int(milliseconds.rounded())) ms on \(scheme)://\(place)")
    Output.line("  REST     \(scheme)://\(place)/.json?ns=\(server.options.defaultNamespace)")
    Output.line("  socket   \(socket)://\(place)/.ws?v=5&ns=\(server.options.defaultNamespace)")
    Output.line("  data     \(server.options.dataDirectory)")
    if let rulesWatch { Output.line("  rules    \(rulesWatch.path) (watched)") }
    if isEmulator {
      Output.line(
        "  emulator mode: \"owner\" is an administrator and unsigned tokens are accepted, from this machine only")
    }
  }
}

/// Keeps the server for as long as no signal came, then stops it.
private struct RunningServer: Service {
  var server: HearthServer

  func run() async throws {
    try? await gracefulShutdown()
    await server.stop()
  }
}
