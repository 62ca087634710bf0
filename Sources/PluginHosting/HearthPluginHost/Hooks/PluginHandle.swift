import HearthPlugin
import HearthSystem
import HearthTree
import Synchronization

/// A plugin's handle for the server's hooks, which stays the same when another version replaces the plugin.
final class PluginHandle: Sendable {
  let name: String
  private let current: Mutex<any PluginRunner>
  /// The queue of requests, which shares the plugin's slots among clients.
  private let limiter: ConcurrencyLimiter
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: called with a line about a request that failed; no more than once a second.
  init(_ name: String, _ runner: any PluginRunner, notice: @escaping @Sendable (String) -> Void) {
    self.name = name
    current = Mutex(runner)
    limiter = ConcurrencyLimiter(slots: runner.concurrentRequestsMax)
    self.notice = notice
  }

  var runner: any PluginRunner { current.withLock { $0 } }

  /// The number of requests that were not sent to the plugin, because too many waited for too long.
  var refusedCount: Int { limiter.refusedCount }

  /// Replaces the running version by another one.
  ///
  /// - Returns: the former one.
  func replace(by runner: any PluginRunner) -> any PluginRunner {
    limiter.setSlots(runner.concurrentRequestsMax)
    return current.withLock { current in
      let former = current
      current = runner
      return former
    }
  }

  /// Calls a hook, and decodes its output.
  ///
  /// - Parameter uid: the account that the request is about, when the client has proved that it is theirs.
  /// - Throws: ``PluginCallError``.
  func ask<Output: Decodable & Sendable>(
    _ hook: PluginHook, _ input: some Encodable & Sendable, of uid: String? = nil, as type: Output.Type = Output.self
  ) async throws -> Output {
    let outcome = await outcome(hook, try JSON(encoding: input), of: uid)
    guard case .output(let output) = outcome else {
      throw failed(hook, outcome.text, outcome.kind, isTemporary: outcome.isTemporary)
    }
    do {
      return try output.decoded(as: type)
    } catch let error as DecodingError {
      throw failed(hook, "returned an unexpected response: \(error.place)", .badAnswer)
    }
  }

  private func outcome(_ hook: PluginHook, _ input: JSON, of uid: String?) async -> PluginOutcome {
    // The server's own requests have limits of their own.
    var client = ShareClaimant.current ?? ShareClaimant(isAdministrator: true)
    if !client.isAdministrator { client.account = uid }
    let (called, started) = (runner, Clock.monotonicMilliseconds)
    switch await limiter.acquire(client, sizeBytes: input.text().count, milliseconds: called.deadlineMilliseconds) {
    case .acquired: break
    case .refused: return .overloaded
    case .late: return .late
    }
    defer { limiter.release() }
    let waited = Clock.monotonicMilliseconds - started
    let outcome = await called.ask(hook, input, milliseconds: max(1, called.deadlineMilliseconds - waited))
    // The plugin was replaced meanwhile: requests that the former version did not take go to the new one.
    guard outcome == .down, case let now = runner, now !== called else { return outcome }
    return await now.ask(hook, input, milliseconds: now.deadlineMilliseconds)
  }

  /// Returns an error that names the plugin, and notifies the operator.
  func failed(
    _ hook: PluginHook, _ what: String, _ kind: PluginCallError.Kind, isTemporary: Bool = false
  ) -> PluginCallError {
    let error = PluginCallError(plugin: name, hook: hook, what: what, kind: kind, isTemporary: isTemporary)
    notice(error.description)
    return error
  }
}

/// A failed request to a plugin.
struct PluginCallError: Error, CustomStringConvertible {
  enum Kind: Sendable {
    /// The plugin did not answer in time.
    case late
    /// The answer cannot be used.
    case badAnswer
    /// The plugin could not be called, or reported a failure itself.
    case other
  }

  let plugin: String
  let hook: PluginHook
  let what: String
  let kind: Kind
  /// True when another attempt may succeed later.
  let isTemporary: Bool

  var description: String { "plugin \(plugin), called for \(hook.rawValue), \(what)" }
}

extension PluginOutcome {
  /// True when another attempt may succeed later.
  fileprivate var isTemporary: Bool {
    switch self {
    case .output: false
    case .failed(let failure): failure.isTemporary
    case .late, .died, .overloaded, .down, .unreachable, .unusable: true
    }
  }

  /// The kind of error for the caller.
  fileprivate var kind: PluginCallError.Kind {
    switch self {
    case .late: .late
    case .unusable: .badAnswer
    case .output, .failed, .died, .overloaded, .down, .unreachable: .other
    }
  }
}
