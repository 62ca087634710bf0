import HearthPlugin
import Synchronization

@testable import HearthAccounts

/// A hook with verdicts from the test, which records its events.
final class ScriptedHook: DecidingHook {
  typealias Decide = @Sendable (HookEvent) async throws -> HookVerdict

  let name = "scripted"
  let wantedTokens: Set<HookCredential.Token>
  private let kept = Mutex<[HookEvent]>([])
  private let script = Mutex<Decide>({ _ in .allow() })

  init(wantedTokens: Set<HookCredential.Token> = [], _ decide: @escaping Decide = { _ in .allow() }) {
    self.wantedTokens = wantedTokens
    script.withLock { $0 = decide }
  }

  /// The events so far.
  var events: [HookEvent] { kept.withLock { $0 } }
  var moments: [HookEvent.Moment] { events.map(\.moment) }

  func does(_ decide: @escaping Decide) { script.withLock { $0 = decide } }
  func forget() { kept.withLock { $0 = [] } }

  func decide(_ event: HookEvent) async throws -> HookVerdict {
    kept.withLock { $0.append(event) }
    let decide = script.withLock { $0 }
    return try await decide(event)
  }
}
