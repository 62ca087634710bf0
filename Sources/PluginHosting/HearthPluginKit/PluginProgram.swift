import Dispatch
import HearthPlugin
import HearthTree
import Synchronization

/// A plugin in a process of its own: one function for each hook, then ``run()``.
///
/// ```swift
/// var door = PluginProgram("door", version: "1.0.0")
/// door.on(.beforeCreate) { (event: HookEvent, settings) -> HookVerdict in
///   …
/// }
/// await door.run()
/// ```
/// Functions run at the same time, one task for each request; the task is cancelled when the server no longer waits for
/// its answer. Standard output belongs to the messages: printed text goes to standard error, which is the plugin's log.
public struct PluginProgram: Sendable {
  private let name: String
  private let version: String
  private var answers: [PluginHook: @Sendable (_ input: JSON, _ settings: JSON) async throws -> JSON] = [:]

  /// Creates a plugin without hooks; name and version are those of its `plugin.json`.
  public init(_ name: String, version: String) { (self.name, self.version) = (name, version) }

  /// Registers a function as the answer to a hook. ``/HearthPlugin/PluginHook`` lists each hook's input and output.
  ///
  /// - Parameter answer: called with the operator's settings, too. A `PluginFailure` that it throws goes to the
  ///   operator's log; of any other error only the type is logged, since its text might hold parts of the request.
  public mutating func on<Input: Decodable & Sendable, Output: Encodable & Sendable>(
    _ hook: PluginHook, _ answer: @escaping @Sendable (_ input: Input, _ settings: JSON) async throws -> Output
  ) {
    answers[hook] = { input, settings in try JSON(encoding: try await answer(try input.decoded(), settings)) }
  }

  /// Answers requests until the server announces the end, and those under way are answered.
  public func run() async {
    let output = StandardOutput()
    await run(reading: StandardInput.lines) { output.write($0) }
  }

  /// Runs the program with lines from another source.
  ///
  /// - Parameter write: called with one line after the other, from any task.
  func run(reading lines: AsyncStream<String>, writing write: @escaping @Sendable ([UInt8]) -> Void) async {
    let running = RunningRequests()
    var settings: JSON = [:]
    for await line in lines {
      switch HostMessage(line: line.utf8) {
      case .hello(let hello):
        settings = hello.settings
        let hooks = answers.keys.sorted { $0.rawValue < $1.rawValue }
        write(PluginMessage.hello(PluginHello(name: name, version: version, hooks: hooks)).line)
      case .request(let request):
        running.begin(request.id) { [settings] in write(await answer(request, settings).line) }
      case .cancel(let id): running.cancel(id)
      case .drain: return await running.finish()
      case nil: break
      }
    }
    await running.finish()
  }

  private func answer(_ request: PluginRequest, _ settings: JSON) async -> PluginMessage {
    guard let answer = answers[request.hook] else {
      return .failure(id: request.id, PluginFailure("the plugin does not handle this hook", isTemporary: false))
    }
    do {
      return .output(id: request.id, try await answer(request.input, settings))
    } catch let failure as PluginFailure {
      return .failure(id: request.id, failure)
    } catch {
      return .failure(
        id: request.id, PluginFailure("\(type(of: error))", isTemporary: error is CancellationError))
    }
  }
}

/// Requests that are being answered.
private final class RunningRequests: Sendable {
  private let tasks = Mutex<[UInt64: Task<Void, Never>]>([:])

  func begin(_ id: UInt64, _ work: @escaping @Sendable () async -> Void) {
    tasks.withLock { tasks in
      // The task removes itself only after it was added, because it waits for the lock.
      tasks[id] = Task {
        await work()
        self.tasks.withLock { $0[id] = nil }
      }
    }
  }

  func cancel(_ id: UInt64) { tasks.withLock { $0[id] }?.cancel() }

  func finish() async { for task in tasks.withLock({ Array($0.values) }) { await task.value } }
}
