import HearthPlugin

/// In the place of a plugin that is to decide and cannot run: denies.
struct ClosedHook: DecidingHook {
  let name: String
  /// What the plugin would be asked.
  let hooks: [PluginHook]

  func decide(_ event: HookEvent) async throws -> HookVerdict {
    guard hooks.contains(event.moment.hook) else { return .allow() }
    throw HookFailure.unreachable
  }
}

extension HookEvent.Moment {
  /// The hook that is asked in this moment.
  fileprivate var hook: PluginHook {
    switch self {
    case .beforeCreate: .beforeCreate
    case .beforeSignIn: .beforeSignIn
    }
  }
}

/// A plugin's process that decides who gets an account, and who comes in.
struct PluginDecidingHook: DecidingHook {
  let handle: PluginHandle
  /// Of ``PluginHook/beforeCreate`` and ``PluginHook/beforeSignIn``, those that it answers.
  let hooks: Set<PluginHook>

  var name: String { handle.name }

  func decide(_ event: HookEvent) async throws -> HookVerdict {
    let hook = event.moment.hook
    guard hooks.contains(hook) else { return .allow() }
    do {
      return try await handle.ask(hook, event, of: event.isNewUser ? nil : event.user.uid)
    } catch let error as PluginCallError {
      throw error.hookFailure
    }
  }
}

extension PluginCallError {
  /// What whoever signs in is told.
  fileprivate var hookFailure: HookFailure {
    switch kind {
    case .late: .deadlineExceeded
    case .badAnswer: .badAnswer("\(plugin) answered something that cannot be used")
    case .other: .unreachable
    }
  }
}
