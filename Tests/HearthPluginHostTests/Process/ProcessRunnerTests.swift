import CLinux
import Glibc
import HearthPlugin
import HearthTree
import Synchronization
import Testing

@testable import HearthPluginHost

/// Tests with real processes: small shell programs.
@Suite struct ProcessRunnerTests {
  static let hello = #"read hello; echo '{"hello":{"protocol":1,"name":"p","version":"1","hooks":["exchange"]}}'"#
  /// Shell commands that answer each line with its ID.
  static let answer =
    #"case $line in *input*) id=${line#*:}; id=${id%%,*}; echo "{\"id\":$id,\"output\":$id}";; esac"#

  final class Log: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  struct Running {
    let runner: ProcessRunner
    let log = Log()
    let loop: ProcessLoop

    init(
      _ script: String, workers: Int = 1, user: ProcessPlan.User? = nil, lineBytesMax: Int = 1 << 20,
      limits: SupervisorLimits = SupervisorLimits()
    ) throws {
      loop = try ProcessLoop()
      let setup = PluginSetup(
        expectation: PluginExpectation(name: "p", version: "1", hooks: [.exchange]), lineBytesMax: lineBytesMax)
      let plan = ProcessPlan(
        program: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin"], directory: "/",
        user: user, dataBytesMax: 256 << 20)
      var limits = limits
      limits.workerCount = workers
      runner = ProcessRunner(
        setup, plan, limits: limits, loop: loop,
        report: .init(event: { [log] in log.add($1) }, line: { [log] in log.add("\($0): \($1)") }))
      runner.start()
    }

    func ask(milliseconds: Int64 = 20_000) async -> PluginOutcome {
      await runner.ask(.exchange, .object([]), milliseconds: milliseconds)
    }

    func stop() async {
      await runner.stop()
      loop.stop()
    }
  }

  @Test("concurrent requests are answered by the processes of a plugin, which end with it")
  func answers() async throws {
    let running = try Running("\(Self.hello); while read -r line; do \(Self.answer); done", workers: 2)
    await withTaskGroup(of: PluginOutcome.self) { group in
      for _ in 0..<100 { group.addTask { await running.ask() } }
      for await outcome in group {
        guard case .output = outcome else {
          Issue.record("\(outcome)")
          return
        }
      }
    }
    let processes = running.runner.processIDs
    #expect(processes.count == 2)
    await running.stop()
    #expect(running.runner.health == .stopped)
    for process in processes { #expect(kill(process, 0) == -1 && errno == ESRCH) }
    #expect(running.log.all.isEmpty)
  }

  @Test("a process inherits no descriptor, no variable and no privilege, and runs as its user, in its folder")
  func inheritsNothing() async throws {
    setenv("HEARTH_SECRET_OF_THE_SERVER", "x", 1)
    let user = geteuid() == 0 ? ProcessPlan.User(id: 65_534, groupID: 65_534) : nil
    let say =
      #"echo "$(ls /proc/self/fd | tr '\n' ' ')|$(id -u) $(id -G)|$PWD|$(env | grep -c SECRET)|$(ulimit -c)" >&2"#
    let running = try Running("\(Self.hello); \(say); while read -r line; do \(Self.answer); done", user: user)
    _ = await running.ask()
    await running.stop()
    let line = try #require(running.log.all.first { $0.hasPrefix("0: ") })
    let parts = line.dropFirst(3).split(separator: "|").map(String.init)
    // The fourth descriptor is the one by which the folder is listed.
    #expect(parts.first == "0 1 2 3 ")
    if user != nil { #expect(parts[1] == "65534 65534") }
    #expect(Array(parts[2...]) == ["/", "0", "0"])
  }

  @Test("a process that ends during a request fails it, and the next is answered by another")
  func death() async throws {
    let running = try Running("\(Self.hello); read -r line; \(Self.answer); read -r line; exit 3")
    guard case .output = await running.ask() else { return #expect(Bool(false)) }
    #expect(await running.ask() == .died)
    guard case .output = await running.ask() else { return #expect(Bool(false)) }
    await running.stop()
    #expect(running.log.all.contains { $0.contains("worker 0 ended with code 3") })
  }

  @Test("a process that floods its output without an end of line is ended, and holds no memory")
  func floods() async throws {
    var limits = SupervisorLimits()
    limits.crashesMax = 2
    let running = try Running("\(Self.hello); exec yes no | tr -d '\\n'", lineBytesMax: 10_000, limits: limits)
    #expect(await running.ask() != .late)
    await running.runner.waitUntilSettled(milliseconds: 20_000)
    await running.stop()
    #expect(running.log.all.contains { $0.contains("sent a line of more than 10000 bytes") })
  }

  @Test("child processes of a plugin end with it")
  func grandchildren() async throws {
    let running = try Running("\(Self.hello); sleep 1000 & echo $! >&2; read -r line; \(Self.answer); exit 0")
    _ = await running.ask()
    await running.stop()
    let text = try #require(running.log.all.first { $0.hasPrefix("0: ") })
    let left = try #require(pid_t(text.dropFirst(3)))
    // The process was killed; its descriptor becomes readable when it has ended.
    let end = linux_pidfd_open(left)
    guard end >= 0 else { return #expect(errno == ESRCH) }
    defer { close(end) }
    var watched = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    #expect(poll(&watched, 1, 10_000) == 1)
  }

  @Test("a missing program is logged once for each attempt, and requests fail")
  func missingProgram() async throws {
    var limits = SupervisorLimits()
    limits.crashesMax = 1
    let setup = PluginSetup(expectation: PluginExpectation(name: "p", version: "1", hooks: []))
    let plan = ProcessPlan(program: "/no/such", arguments: [], environment: [:], directory: "/", dataBytesMax: 0)
    let (log, loop) = (Log(), try ProcessLoop())
    let runner = ProcessRunner(
      setup, plan, limits: limits, loop: loop, report: .init(event: { log.add($1) }, line: { _, _ in }))
    runner.start()
    #expect(await runner.ask(.exchange, .null, milliseconds: 10_000) == .down)
    await runner.stop()
    loop.stop()
    #expect(log.all.count == 1)
    #expect(log.all.first?.contains("/no/such: No such file or directory") == true)
  }

  @Test("a cancelled task stops waiting")
  func cancellation() async throws {
    let running = try Running("\(Self.hello); while read -r line; do :; done")
    await running.runner.waitUntilSettled(milliseconds: 20_000)
    let task = Task { await running.ask(milliseconds: 1_000_000) }
    task.cancel()
    #expect(await task.value == .late)
    await running.stop()
  }
}
