import HearthCrypto

extension GatewayServices {
  /// Checks a caller against a requirement. The REST API checks requirements here only.
  ///
  /// - Throws: a refusal, for callers without the permission.
  func check(_ requirement: Requirement, of caller: VerifiedCaller, from origin: RequestOrigin) throws(RESTFailure) {
    let permission: Permission
    switch requirement {
    case .nothing, .rules: return
    case .permissionOrEmulator where isEmulator && origin.isFromLoopback: return
    case .permission(let needed), .permissionOrEmulator(let needed): permission = needed
    // These requirements belong to other APIs: a REST request cannot meet them.
    case .apiKey, .emulator, .consoleSession, .ofItsOperations: throw .unauthorized
    }
    // A caller that acts as another identity has given its own rights up, except for operations that exist for that.
    guard !caller.principal.isOverridden || permission == .readPast, caller.authority.allows(permission) else {
      throw .unauthorized
    }
  }
}
