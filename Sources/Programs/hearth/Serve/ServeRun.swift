import Glibc
import HearthBytes
import HearthCommandLine
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
    let notice = Task { await noteSlowStart() }
    defer { notice.cancel() }
    try await server.start()
    do {
      try saveSettings()
      try await prepare(server)
    } catch {
      await server.stop()
      throw error
    }
    notice.cancel()
    registerForCommands()
    let lines = announcement + (await consoleLines)
    // One piece, so that no line of the log is within it.
    Output.line(lines.joined(separator: "\n"))
    manager?.notify(.ready)
  }

  /// Prints what is loaded, at a terminal, when the start takes longer than a second.
  private func noteSlowStart() async {
    guard isatty(STDERR_FILENO) == 1, (try? await Task.sleep(for: .seconds(1))) != nil else { return }
    let folder = server.options.dataDirectory
    guard settings.journal == nil else {
      return Output.note(
        "hearth: loading databases and accounts from \(JournalEngines.product(of: settings.journal ?? ""))…")
    }
    let megabytes = FolderProbe(dataDirectory: folder, settings: settings).dataBytes >> 20
    Output.note("hearth: loading databases and accounts from \(folder), \(megabytes) MB…")
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

  private var announcement: [String] {
    let options = server.options
    let scheme = options.tls == nil ? "http" : "https"
    let socket = options.tls == nil ? "ws" : "wss"
    let host = options.host.contains(":") ? "[\(options.host)]" : options.host
    let place = "\(host):\(server.boundPort ?? options.port)"
    let milliseconds = (ContinuousClock.now - started) / .milliseconds(1)
    var lines = [
      "hearth: ready in \(Int(milliseconds.rounded())) ms on \(scheme)://\(place)",
      "  REST     \(scheme)://\(place)/.json?ns=\(options.defaultNamespace)",
      "  socket   \(socket)://\(place)/.ws?v=5&ns=\(options.defaultNamespace)",
      "  accounts \(accountsText)",
      "  data     \(options.dataDirectory)",
    ]
    lines += watches.map { "  rules    \($0.path) (watched\($0.namespace.map { ", for \($0)" } ?? ""))" }
    if let ports = options.emulatorPorts, Set([ports.database, ports.auth, ports.hub]).count > 1 {
      lines.append("  emulators: database \(ports.database), auth \(ports.auth), hub \(ports.hub)")
    }
    if options.accounts.isEmulator {
      lines += [
        "  emulator mode: programs of this machine are administrators with the token \"owner\", and unsigned tokens are",
        "           accepted. Clients with an API key alone use the project \(options.accounts.projectID); --project changes it.",
      ]
    }
    return lines
  }
}

extension ServeRun {
  /// Lets the commands of this folder find a development server.
  private func registerForCommands() {
    guard settings.isDevelopment, let folder = DevelopmentServerFolder(TargetSources.variable),
      let process = ServerProcessID(running: getpid()), let own = DevelopmentServer.ownFolder
    else { return }
    let data = DevelopmentServer.realPath(server.options.dataDirectory) ?? server.options.dataDirectory
    let entry = DevelopmentServer(process: process, projectFolder: own, dataFolder: data, url: url)
    do { try folder.add(entry) } catch {
      Output.note(
        "hearth: warning: commands in this folder do not find this server without --data \(data): \(error)")
    }
  }

  private func unregister() {
    guard settings.isDevelopment else { return }
    DevelopmentServerFolder(TargetSources.variable)?.remove(processID: getpid())
  }

  /// The lines with a link that opens the console once, when the server is started at a terminal. A service manager
  /// would put it into its log.
  private var consoleLines: [String] {
    get async {
      let options = server.options
      guard options.console.isServed else { return [] }
      let isFound = settings.isDevelopment || options.dataDirectory == CommandTargetDefaults.folder
      let command = "hearth console" + (isFound ? "" : " --data \(TextFile.absolute(options.dataDirectory))")
      let isLoopback = IPAddress.isLoopback(host: options.console.address?.host ?? options.host)
      let isLogged = manager != nil || getenv("JOURNAL_STREAM") != nil
      guard isLoopback, !isLogged, let link = await server.makeConsoleLink() else {
        return ["  console  \(command) prints a link"]
      }
      return ["  console  \(link)", "           valid once, for 10 minutes; \(command) prints another"]
    }
  }

  /// The project and its sign-in methods, for the announcement.
  private var accountsText: String {
    let plugins = server.options.plugins
    let ways = plugins.providers.map(\.manifest.id)
    let mail = plugins.mailer == nil ? "; no mail" : ""
    var known: Set<String> = []
    let issuers = server.options.accounts.trust.all.map(\.issuer).filter { known.insert($0).inserted }
    let trusted = issuers.map { "; accepts tokens of \($0)" }
    return "project \(server.options.accounts.projectID); sign in with "
      + (ways.isEmpty ? "nothing" : ways.joined(separator: ", ")) + mail + trusted.joined()
  }
}

extension ServeRun {
  /// Drains the server for the configured time, then stops it.
  private func shutDown() async {
    manager?.notify(.stopping)
    server.drain()
    if drainSeconds > 0 { try? await Task.sleep(for: .seconds(drainSeconds)) }
    do { try await finish(server) } catch { Output.note("Error: \(error)") }
    await server.stop()
    unregister()
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
