/// What a request to the identity endpoints can want. Each has at least one row in ``IdentityRoute/table``, and its handler
/// in ``handler``, without which this does not compile.
package enum IdentityOperation: String, Sendable, CaseIterable {
  // For clients; some of them also serve administrators.
  case signUp, signInWithPassword, signInWithCustomToken, signInWithIdentity, signInWithEmailLink, createAuthURI
  case lookup, update, delete
  case sendCode, resetPassword
  case sendPhoneCode, signInWithPhone, phoneClient, captchaParameters
  case startEnrolment, finishEnrolment, withdrawFactor, makeRecoveryCodes
  case startSecondFactor, finishSecondFactor
  case startPasskey, finishPasskey, startPasskeySignIn, finishPasskeySignIn
  case revokeToken, refresh
  case projectConfig, passwordPolicy, recaptchaConfig
  // For administrators: what the admin SDKs call.
  case adminCreate, adminLookup, adminUpdate, adminDelete, adminSendCode
  case batchGet, batchDelete, batchCreate, createSessionCookie, queryAccounts
  case getProjectConfig, changeProjectConfig
  case createIssuer, listIssuers, getIssuer, changeIssuer, deleteIssuer
  case createSAMLProvider, listSAMLProviders, getSAMLProvider, changeSAMLProvider, deleteSAMLProvider
  case listDefaultProviders
  case createTenant, listTenants, getTenant, changeTenant, deleteTenant
  // For the operator: what the identity protocol has no words for.
  case status, exportUsers, checkPasswords, revokeUser, tokenStanding
  case listServiceAccounts, createServiceAccount, disableServiceAccount, removeServiceAccountKey
  case listKeys, rotateKey, removeKey, listSecrets, rotateSecret, removeSecret
  case tailAudit, verifyAudit
  case importSAMLMetadata
  case unknownAdministration
  // For everybody.
  case idTokenCertificates, cookieCertificates, keySet, discovery, accessToken
  // For tests of apps: an emulator's.
  case deleteAllAccounts, listCodes, listPhoneCodes, emulatorConfig
  // For clients of the 2.x kind.
  case legacyCreateUser, legacyRemoveUser, legacyChangePassword, legacyChangeEmail, legacyResetPassword
  case legacyPasswordSignIn, legacyAnonymousSignIn, legacyProviderSignIn, legacySession, legacyUnknown
  // Pages for people, and what a hosted web app reads.
  case actionPage, appLinkPage, handlerPage, redirectPage, handlerFrame, samlMetadata, webConfiguration
  // Parts of the protocol that are not served here.
  case gameCenter, saml, projectChange
  /// No operation of a service whose name the request has.
  case unknown

  /// True when a form does as well as JSON.
  var takesForm: Bool { self == .refresh || self == .accessToken }

  /// True when it is, of the operator's, one about people, so that it may be about a tenant's.
  var isOfUsers: Bool {
    switch self {
    case .exportUsers, .checkPasswords, .revokeUser, .tokenStanding, .tailAudit, .verifyAudit,
      .importSAMLMetadata:
      true
    default: false
    }
  }

  /// True when a tenant in its path is what it is about, and not whose accounts it is about.
  var isOfTenant: Bool {
    switch self {
    case .createTenant, .listTenants, .getTenant, .changeTenant, .deleteTenant: true
    default: false
    }
  }

  /// The longest body, in bytes.
  package var bodyBytesMax: Int {
    self == .batchCreate ? IdentityBody.importSizeBytesMax : IdentityBody.sizeBytesMax
  }
}
