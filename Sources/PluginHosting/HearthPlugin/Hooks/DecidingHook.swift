/// Asked before an account is made and before somebody comes in.
///
/// Hooks have no place in the configuration: they are plugins in processes of their own, or a program that embeds the
/// server hands them over in ``PluginSet/hooks``. All of them are asked, one after the other; each sees what those before
/// it changed. A hook that throws, or does not answer within ten seconds, denies.
public protocol DecidingHook: Sendable {
  /// What the operator's log calls the hook.
  var name: String { get }

  /// Which tokens of other providers it is told; none unless it names them.
  var wantedTokens: Set<HookCredential.Token> { get }

  /// Decides on one event. Called with the credential already checked, and before anything is stored or a token is made.
  ///
  /// An account may be changed or deleted before the verdict comes, and a new one's address may be given to somebody else
  /// by an administrator: the server looks again before it stores anything. Of two who want an account of the same address
  /// the second waits.
  ///
  /// - Throws: a ``HookFailure``, of which the client is told; for any other error the client is told that the sign-in
  ///   could not be checked. The log names the hook.
  func decide(_ event: HookEvent) async throws -> HookVerdict
}

extension DecidingHook {
  /// None.
  public var wantedTokens: Set<HookCredential.Token> { [] }
}

/// The reason why a hook has not decided. The sign-in is refused.
public enum HookFailure: Error, Sendable, Codable, Equatable {
  /// There was no answer in the hook's time.
  case deadlineExceeded
  /// Nobody could be asked.
  case unreachable
  /// What came back cannot be used. A sentence for the app's developer, which the client is shown: no secret and no
  /// address of a server in it.
  case badAnswer(String)
}
