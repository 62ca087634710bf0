import HearthTree

extension Accounts {
  /// The operation behind a route.
  func perform(_ operation: IdentityOperation, _ call: IdentityCall) async throws(AccountError) -> JSON {
    switch operation {
    case .signUp: try await signUp(call)
    case .signInWithPassword: try await signInWithPassword(call)
    case .signInWithCustomToken: try await signInWithCustomToken(call)
    case .signInWithIdentity: try await signInWithIdentity(call)
    case .sendPhoneCode: try sendPhoneCode(call)
    case .signInWithPhone: try await signInWithPhone(call)
    case .captchaParameters: try captchaParameters(call)
    case .signInWithEmailLink: try await signInWithEmailLink(call)
    case .lookup: try await lookup(call)
    case .update: try await update(call)
    case .delete: try await delete(call)
    case .sendCode, .adminSendCode: try await sendCode(call)
    case .resetPassword: try await resetPassword(call)
    case .createAuthURI: try await createAuthURI(call)
    case .refresh: try await refresh(call)
    case .revokeToken: .object([])
    case .startEnrolment: try await startEnrolment(call)
    case .finishEnrolment: try await finishEnrolment(call)
    case .withdrawFactor: try await withdrawFactor(call)
    case .startSecondFactor: throw AccountError(.notImplemented, "This server does not send text messages.")
    case .finishSecondFactor: try await finishSecondFactor(call)
    default: try await performForAdministrator(operation, call)
    }
  }

  private func performForAdministrator(
    _ operation: IdentityOperation, _ call: IdentityCall
  ) async throws(AccountError) -> JSON {
    switch operation {
    case .adminCreate: try await adminCreate(call)
    case .adminLookup: try await adminLookup(call)
    case .adminUpdate: try await adminUpdate(call)
    case .adminDelete: try await adminDelete(call)
    case .batchGet: try await batchGet(call)
    case .batchDelete: try await batchDelete(call)
    case .batchCreate: try await batchCreate(call)
    case .createSessionCookie: try await createSessionCookie(call)
    case .queryAccounts: try await queryAccounts(call)
    case .projectConfig: try await projectConfig(call)
    case .passwordPolicy: try await passwordPolicyConfig(call)
    case .recaptchaConfig: try await recaptchaConfig(call)
    case .deleteAllAccounts: try await deleteAllAccounts(call)
    case .listCodes: try await listCodes(call)
    case .listPhoneCodes: try listPhoneCodes(call)
    case .emulatorConfig: try emulatorConfig(call)
    case .administrate(let name): try await administrate(name, call)
    default: throw AccountError(.notFound)
    }
  }
}
