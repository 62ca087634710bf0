import HearthCrypto

extension GatewayServices {
  /// Holds a caller against what is needed: the one place where the REST interface does.
  ///
  /// - Throws: a refusal, for callers who may not.
  func check(_ requirement: Requirement, of caller: VerifiedCaller, from origin: RequestOrigin) throws(RESTFailure) {
    let permission: Permission
    switch requirement {
    case .nothing, .rules: return
    case .permissionOrEmulator where isEmulator && origin.isFromLoopback: return
    case .permission(let needed), .permissionOrEmulator(let needed): permission = needed
    // These are other interfaces' words: nothing here can show that they are met.
    case .apiKey, .emulator, .consoleSession, .ofItsOperations: throw .unauthorized
    }
    // A caller that acts as somebody else has given its own rights up, but for what exists to be looked at so.
    guard !caller.principal.isOverridden || permission == .readPast, caller.authority.allows(permission) else {
      throw .unauthorized
    }
  }
}
