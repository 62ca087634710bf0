import HearthPlugin
import HearthTree
import Synchronization

/// A plugin as the hooks of the server hold it: the same before and after it is replaced by another version.
final class PluginHandle: Sendable {
  let name: String
  private let current: Mutex<any PluginRunner>
  private let notice: @Sendable (String) -> Void

  /// - Parameter notice: told of what a plugin was asked in vain; no more than once a second.
  init(_ name: String, _ runner: any PluginRunner, notice: @escaping @Sendable (String) -> Void) {
    self.name = name
    current = Mutex(runner)
    self.notice = notice
  }

  var runner: any PluginRunner { current.withLock { $0 } }

  /// Puts another version in its place.
  ///
  /// - Returns: the former one.
  func replace(by runner: any PluginRunner) -> any PluginRunner {
    current.withLock { current in
      let former = current
      current = runner
      return former
    }
  }

  /// Asks a hook, and reads what it comes to.
  ///
  /// - Throws: ``PluginCallError``.
  func ask<Output: Decodable & Sendable>(
    _ hook: PluginHook, _ input: some Encodable & Sendable, as type: Output.Type = Output.self
  ) async throws -> Output {
    let input = try JSON(encoding: input)
    let asked = runner
    var outcome = await asked.ask(hook, input, milliseconds: asked.deadlineMilliseconds)
    // Replaced in this moment: what the former version did not take is for the new one.
    if outcome == .down, case let now = runner, now !== asked {
      outcome = await now.ask(hook, input, milliseconds: now.deadlineMilliseconds)
    }
    guard case .output(let output) = outcome else {
      throw failed(hook, outcome.text, outcome.kind, isTemporary: outcome.isTemporary)
    }
    do {
      return try output.decoded(as: type)
    } catch let error as DecodingError {
      throw failed(hook, "answered something else: \(error.place)", .badAnswer)
    }
  }

  /// An error that names the plugin; the operator is told.
  func failed(
    _ hook: PluginHook, _ what: String, _ kind: PluginCallError.Kind, isTemporary: Bool = false
  ) -> PluginCallError {
    let error = PluginCallError(plugin: name, hook: hook, what: what, kind: kind, isTemporary: isTemporary)
    notice(error.description)
    return error
  }
}

/// What a plugin was asked in vain.
struct PluginCallError: Error, CustomStringConvertible {
  enum Kind: Sendable {
    /// There was no answer in time.
    case late
    /// There was one, and it cannot be used.
    case badAnswer
    /// It could not be asked, or said itself that it could not.
    case other
  }

  let plugin: String
  let hook: PluginHook
  let what: String
  let kind: Kind
  /// It may go better later.
  let isTemporary: Bool

  var description: String { "plugin \(plugin), asked for \(hook.rawValue), \(what)" }
}

extension PluginOutcome {
  /// Whether the same may go better later.
  fileprivate var isTemporary: Bool {
    switch self {
    case .output: false
    case .failed(let failure): failure.isTemporary
    case .late, .died, .overloaded, .down, .unreachable, .unusable: true
    }
  }

  /// What kind of error it is for whoever asked.
  fileprivate var kind: PluginCallError.Kind {
    switch self {
    case .late: .late
    case .unusable: .badAnswer
    case .output, .failed, .died, .overloaded, .down, .unreachable: .other
    }
  }
}
