import HearthPlugin

/// A stand-in for a deciding plugin that is switched on and cannot run: it denies.
struct ClosedHook: DecidingHook {
  let name: String
  /// The hooks that the plugin has.
  let hooks: [PluginHook]

  func decide(_ event: HookEvent) async throws -> HookVerdict {
    guard hooks.contains(event.moment.hook) else { return .allow() }
    throw HookFailure.unreachable
  }
}

extension HookEvent.Moment {
  /// The plugin hook for this event.
  fileprivate var hook: PluginHook {
    switch self {
    case .beforeCreate: .beforeCreate
    case .beforeSignIn: .beforeSignIn
    }
  }
}

/// A blocking function in a plugin's process, for new accounts and sign-ins.
struct PluginDecidingHook: DecidingHook {
  let handle: PluginHandle
  /// The plugin's hooks among ``PluginHook/beforeCreate`` and ``PluginHook/beforeSignIn``.
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
  /// The failure that the signing-in client is told.
  fileprivate var hookFailure: HookFailure {
    switch kind {
    case .late: .deadlineExceeded
    case .badAnswer: .badAnswer("\(plugin) returned an unusable response")
    case .other: .unreachable
    }
  }
}
