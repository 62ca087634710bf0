import ArgumentParser
import Glibc
import HearthProgram
import HearthTransport
import NIOCore
import NIOPosix

/// `hearth-bench griefing`: latencies of honest clients beside attacks.
struct GriefingBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "griefing",
    abstract: "Measure what clients that mean harm do to the latencies of honest ones.",
    discussion: """
      For each attack a server is started, held to one processor, and the clients here are held to the others. Honest \
      clients write, listen, get, and read and write over REST, 100 times a second each, from networks of their own; \
      latencies count from when an operation was due. They are measured alone (quiet), beside the attack, and, on a \
      second server, beside a control: the same number of clients that send as many bytes in short writes over the same \
      transport. The aim for one attacker is a p99 of at most 3 times the control's and of at most 50 ms; for more \
      attackers, each from a network of its own, 10 times; and no error of an honest client. A p99 below 5 ms is within \
      any aim. The last column says whether a row is within it.

      Attacks: \(Attack.all.map(\.name).joined(separator: "; ")).
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Run attacks alone whose names contain one of these texts.", valueName: "text"))
  var only: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Numbers of attacking clients, each with a row of its own.", valueName: "count"))
  var clients = [1, 20]

  @OptionGroup var time: BenchTime

  @Option(help: "Hold the server to this processor.")
  var serverCpu = 0

  @OptionGroup var benchOptions: BenchOptions

  private var attacks: [Attack] {
    Attack.all.filter { attack in only.isEmpty || only.contains { attack.name.contains($0) } }
  }

  func validate() throws {
    guard !clients.isEmpty, clients.allSatisfy((1...200).contains) else {
      throw ValidationError("--clients are 1 to 200.")
    }
    guard !attacks.isEmpty else { throw ValidationError("--only \(only.joined(separator: " ")) names no attack.") }
  }

  func run() async throws {
    OpenFiles.raiseLimit()
    let group = Processors.leaving(serverCpu) { MultiThreadedEventLoopGroup(numberOfThreads: 2) }
    let (honest, attacking) = (group.next(), group.next())
    // Honest clients must be measured on time while the attackers are busy on the same machine.
    try await attacking.submit { _ = nice(10) }.get()
    var table = GriefingTable()
    for attack in attacks {
      for count in clients {
        Output.note("\(attack.name), \(NumberFormat.counted(count, "client")) …")
        let run = GriefingRun(
          attack: attack, clients: count, settings: self, honestLoop: honest, attackLoop: attacking)
        do {
          let row = try await run.row()
          Output.note("  \(row.summary)")
          Output.note("  \(row.attacked.text)")
          table.add(row)
        } catch {
          Output.note("  \(error)")
          table.addFailure(attack.name, clients: count, "\(error)")
        }
      }
    }
    Output.line(table.text)
    try await group.shutdownGracefully()
  }
}

/// One attack by some clients against two servers, one after the other.
struct GriefingRun {
  /// Seconds of an attack or a control before its measurement.
  private static let leadSeconds = 0.3

  let attack: Attack
  let clients: Int
  let settings: GriefingBench
  let honestLoop: any EventLoop
  let attackLoop: any EventLoop

  /// The figures of one load.
  private struct Phase {
    var quiet: HonestClients.Figures
    var loaded: HonestClients.Figures
    var traffic: AttackTraffic
    var seconds: Double
    var processorShare: Double?
  }

  func row() async throws -> GriefingTable.Row {
    let attacked = try await phase(attack)
    let control = try await phase(
      attack.control(attacked.traffic, clientSeconds: attacked.seconds * Double(clients)), quietSeconds: 0.2)
    return GriefingTable.Row(
      name: attack.name, clients: clients, quiet: attacked.quiet, control: control.loaded, attacked: attacked.loaded,
      traffic: attacked.traffic, seconds: attacked.seconds, processorShare: attacked.processorShare)
  }

  private func phase(_ load: Attack, quietSeconds: Double? = nil) async throws -> Phase {
    let server = try BenchServer(
      program: settings.benchOptions.program, rules: GriefingData.rules, cpu: settings.serverCpu,
      in: settings.benchOptions.folder,
      files: ["accounts.json": GriefingData.accounts],
      options: { folder in ["--auth-config", folder + "/accounts.json", "--history", "1h"] })
    // An attacked server may take long to stop, and its data is not needed.
    defer { server.destroy() }
    let target = try server.target()
    try await GriefingData.write(for: load, to: target)
    var identities = try (0..<clients).map { try AttackerIdentity($0, of: target) }
    if load.needsAccount {
      for index in identities.indices { identities[index].account = try await GriefingData.account(of: target) }
    }
    return try await measure(load, identities, target, quietSeconds: quietSeconds ?? Double(settings.time.seconds))
  }

  private func measure(
    _ load: Attack, _ identities: [AttackerIdentity], _ target: BenchTarget, quietSeconds: Double
  ) async throws -> Phase {
    let (honestLoop, attackLoop) = (honestLoop, attackLoop)
    let honest = try await honestLoop.submit {
      NIOLoopBound(try HonestClients(target, loop: honestLoop), eventLoop: honestLoop)
    }.get()
    let attackers = try await attackLoop.submit {
      NIOLoopBound(
        AttackGroup(load, clients: identities, target: target, loop: attackLoop), eventLoop: attackLoop)
    }.get()
    let seconds = Double(settings.time.seconds)
    let measured: Phase
    do {
      try await honestLoop.flatSubmit { honest.value.connect() }.get()
      let quiet = try await honestLoop.flatSubmit { honest.value.measure(seconds: quietSeconds) }.get()
      try await attackLoop.flatSubmit { attackers.value.prepare() }.get()
      let (use, started) = (ServerLoad(target), WallClock.monotonicNanoseconds)
      try await attackLoop.submit { attackers.value.begin() }.get()
      try await Task.sleep(for: .seconds(Self.leadSeconds))
      let loaded = try await honestLoop.flatSubmit { honest.value.measure(seconds: seconds) }.get()
      measured = Phase(
        quiet: quiet, loaded: loaded, traffic: try await attackLoop.submit { attackers.value.traffic }.get(),
        seconds: WallClock.seconds(since: started), processorShare: use.processorShare)
    } catch {
      try await attackLoop.submit { attackers.value.end() }.get()
      try await honestLoop.submit { honest.value.end() }.get()
      throw error
    }
    try await attackLoop.submit { attackers.value.end() }.get()
    try await honestLoop.submit { honest.value.end() }.get()
    return measured
  }
}
