import Glibc
import HearthBytes
import HearthProgram
import HearthServer
import Logging
import UnixSignals

/// The run of `hearth serve` and `hearth dev` once everything is read: prints the server's address, and runs it until a
/// signal stops it.
struct ServeRun {
  var server: HearthServer
  var started: ContinuousClock.Instant
  /// The settings for later commands on the folder.
  var settings: FolderSettings
  var watches: [RulesWatch] = []
  var stopsWithStandardInput = false
  /// The service manager that started the program; nil when there is none.
  var manager = ServiceManager()
  /// The time in seconds that the server keeps running after a signal, while it announces its end.
  var drainSeconds = 0
  /// The work before the server is announced; its error ends the run.
  var prepare: @Sendable (HearthServer) async throws -> Void = { _ in }
  /// The work before the server stops; its error is printed.
  var finish: @Sendable (HearthServer) async throws -> Void = { _ in }

  func run() async throws {
    Output.lineBuffer()
    // A file at its size limit makes a write fail, and must not end the server.
    signal(SIGXFSZ, SIG_IGN)
    // The hang-up signal of a closed terminal; daemons have no terminal, and reload their files on it.
    let hasTerminal = isatty(STDIN_FILENO) == 1
    // Trapped before the server starts: a signal during the start stops the server cleanly once it has started.
    let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm] + (hasTerminal ? [.sighup] : []))
    let hangups = hasTerminal ? nil : await UnixSignalsSequence(trapping: .sighup)
    let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for await _ in signals { stop.yield() } }
      if let hangups { group.addTask { for await _ in hangups { await server.reloadCertificate() } } }
      for watch in watches { group.addTask { await watch.run() } }
      if let manager, let interval = manager.watchdogNanoseconds {
        group.addTask { await feedWatchdog(of: manager, intervalNanoseconds: interval) }
      }
      if stopsWithStandardInput {
        group.addTask {
          await standardInputEnds()
          stop.yield()
        }
      }
      try await start()
      for await _ in stops { break }
      group.cancelAll()
      await shutDown()
    }
  }

  /// Starts the server and prints its address.
  private func start() async throws {
    try await server.start()
    do {
      try saveSettings()
      try await prepare(server)
    } catch {
      await server.stop()
      throw error
    }
    announce()
    await announceConsole()
    manager?.notify(.ready)
  }

  private func saveSettings() throws {
    var settings = settings
    settings.url = url
    settings.projectID = server.options.accounts.projectID
    settings.defaultNamespace = server.options.defaultNamespace
    settings.certificatePath = server.options.tls.map { TextFile.absolute($0.certificatePath) }
    settings.certificateKeyPath = server.options.tls.map { TextFile.absolute($0.keyPath) }
    settings.rulesPath = server.options.rulesPath.map(TextFile.absolute)
    try settings.write(in: server.options.dataDirectory)
  }

  private var url: String {
    let options = server.options
    return ServerAddress(
      isTLS: options.tls != nil, host: options.host, port: server.boundPort ?? options.port
    ).description
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
    Output.line("  accounts \(accountsText)")
    Output.line("  data     \(server.options.dataDirectory)")
    for watch in watches {
      Output.line("  rules    \(watch.path) (watched\(watch.namespace.map { ", for \($0)" } ?? ""))")
    }
    if let ports = server.options.emulatorPorts, Set([ports.database, ports.auth, ports.hub]).count > 1 {
      Output.line("  emulators: database \(ports.database), auth \(ports.auth), hub \(ports.hub)")
    }
    if server.options.accounts.isEmulator {
      Output.line(
        "  emulator mode: \"owner\" is an administrator and unsigned tokens are accepted, from this machine only;")
      Output.line(
        "           clients that name an API key alone are of project \(server.options.accounts.projectID): --project changes it"
      )
    }
  }
}

extension ServeRun {
  /// Prints a link that opens the console once, when the server is started at a terminal. A service manager would put
  /// it into its log.
  private func announceConsole() async {
    let options = server.options
    guard options.console.isServed else { return }
    let isLoopback = IPAddress.isLoopback(host: options.console.address?.host ?? options.host)
    let isLogged = manager != nil || getenv("JOURNAL_STREAM") != nil
    guard isLoopback, !isLogged, let link = await server.makeConsoleLink() else {
      return Output.line("  console  hearth console prints a link")
    }
    Output.line("  console  \(link)")
    Output.line("           opens once, within 10 minutes; hearth console prints another")
  }

  /// The project and its sign-in methods, for the announcement.
  private var accountsText: String {
    let plugins = server.options.plugins
    let ways = plugins.providers.map(\.manifest.id)
    let mail = plugins.mailer == nil ? "; no mail" : ""
    return "project \(server.options.accounts.projectID); sign in with "
      + (ways.isEmpty ? "nothing" : ways.joined(separator: ", ")) + mail
  }
}

extension ServeRun {
  /// Drains the server for the configured time, then stops it.
  private func shutDown() async {
    manager?.notify(.stopping)
    server.drain()
    if drainSeconds > 0 { try? await Task.sleep(for: .seconds(drainSeconds)) }
    do { try await finish(server) } catch { Output.note("hearth: \(error)") }
    await server.stop()
  }

  /// Notifies the service manager that the server's event loops respond, three times in each interval of its watchdog,
  /// until the task is cancelled.
  private func feedWatchdog(of manager: ServiceManager, intervalNanoseconds: Int64) async {
    while !Task.isCancelled {
      // The server starts at the same time; the manager limits a long start separately.
      await server.waitForEventLoops()
      manager.notify(.alive)
      try? await Task.sleep(for: .nanoseconds(intervalNanoseconds / 3))
    }
  }

  /// Returns when standard input ends, because the process at its other end has ended, or when the task is cancelled.
  private func standardInputEnds() async {
    while !Task.isCancelled {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      if poll(&input, 1, 0) > 0 {
        var byte: UInt8 = 0
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { return }
      } else {
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
  }
}
