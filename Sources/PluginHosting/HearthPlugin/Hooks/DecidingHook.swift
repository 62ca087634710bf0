/// A blocking function that is called before an account is made and before a user signs in.
///
/// Hooks have no entry in the configuration: they are plugins in processes of their own, or a program that embeds the
/// server passes them in ``PluginSet/hooks``. All of them are called, one after the other; each sees the changes of
/// those before it. A hook that throws, or does not answer within ten seconds, denies.
public protocol DecidingHook: Sendable {
  /// The hook's name in the operator's log.
  var name: String { get }

  /// The tokens of other providers that the hook is given; none unless it names them.
  var wantedTokens: Set<HookCredential.Token> { get }

  /// Decides on one event. Called with the credential already checked, and before an account is stored or a token is
  /// made.
  ///
  /// An account may be changed or deleted before the verdict comes, and an administrator may give a new account's
  /// address to another account: the server checks again before it stores anything. Of two sign-ups with the same
  /// address the second waits.
  ///
  /// - Throws: a ``HookFailure``, which the client is told; for any other error the client is told that the sign-in
  ///   could not be checked. The log names the hook.
  func decide(_ event: HookEvent) async throws -> HookVerdict
}

extension DecidingHook {
  /// The empty set: no token of other providers.
  public var wantedTokens: Set<HookCredential.Token> { [] }
}

/// The reason why a hook has not decided. The sign-in is refused.
public enum HookFailure: Error, Sendable, Codable, Equatable {
  /// The hook did not answer in time.
  case deadlineExceeded
  /// The hook could not be called.
  case unreachable
  /// The answer cannot be used. The text is a sentence for the app's developer, which the client is shown: no secret
  /// and no server address in it.
  case badAnswer(String)
}
