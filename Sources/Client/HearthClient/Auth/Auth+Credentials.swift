import Foundation

extension Auth: CredentialProvider {
  /// The delays in seconds between attempts to refresh a token: the same as in Firebase's SDK for Apple systems.
  private static let retrySeconds: (first: TimeInterval, max: TimeInterval) = (30, 16 * 60)

  /// The account of the signed-in user; nil when signed out.
  public var currentUserID: String? { currentUser?.uid }

  func credential(of user: User?) -> DatabaseCredential? {
    user.map { DatabaseCredential(token: $0.tokens.idToken, userID: $0.uid) }
  }

  /// Provides the ID token of the signed-in user.
  public func credential(
    forcingRefresh: Bool, completion: @escaping @Sendable (Result<DatabaseCredential?, any Error>) -> Void
  ) {
    guard let user = currentUser else { return completion(.success(nil)) }
    Task {
      do {
        let tokens = try await user.freshTokens(forcing: forcingRefresh)
        completion(.success(DatabaseCredential(token: tokens.idToken, userID: user.uid)))
      } catch {
        // The server ended the session, so the app is signed out.
        completion(currentUser == nil ? .success(nil) : .failure(error))
      }
    }
  }

  /// Calls `listener` with each new ID token, and with nil at a sign-out. While a user is signed in, tokens are
  /// refreshed before they expire.
  public func addCredentialListener(_ listener: @escaping @Sendable (DatabaseCredential?) -> Void) -> Int {
    withState { state in
      state.lastHandle += 1
      state.credentialListeners[state.lastHandle] = listener
      schedule(&state)
      return state.lastHandle
    }
  }

  /// Removes a listener.
  public func removeCredentialListener(_ handle: Int) {
    withState { state in
      state.credentialListeners[handle] = nil
      schedule(&state)
    }
  }

  /// Ignores the report: a connection requests another token itself.
  public func connectionReported(_ report: CredentialReport) {}

  /// Schedules the next token refresh.
  func schedule(_ state: inout State) {
    state.refreshTask?.cancel()
    state.refreshTask = nil
    guard let user = state.user, !state.credentialListeners.isEmpty else { return }
    let (clock, refreshAt) = (clock, user.tokens.refreshAt)
    state.refreshTask = Task { [weak user] in
      var pause = max(refreshAt.timeIntervalSince(clock.now), 1)
      var retry = Self.retrySeconds.first
      while (try? await clock.sleep(seconds: pause)) != nil {
        do {
          // New tokens cancel this task and schedule the next refresh.
          guard let user, !Task.isCancelled else { return }
          _ = try await user.freshTokens(forcing: false)
          return
        } catch {
          if AuthErrorCode(error)?.endsSession ?? false { return }
          pause = retry
          retry = min(retry * 2, Self.retrySeconds.max)
        }
      }
    }
  }
}
