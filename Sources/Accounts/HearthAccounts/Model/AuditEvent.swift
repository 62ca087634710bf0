/// An event about an account, a key or a setting, for the audit trail.
public struct AuditEvent: Sendable, Equatable {
  /// The kind of an event. A closed list; the texts are never renamed.
  package enum Kind: String, Sendable, CaseIterable {
    case signUp = "sign_up"
    case signIn = "sign_in_ok"
    case signInFailed = "sign_in_fail"
    case factorEnrolled = "mfa_enroll"
    case factorRemoved = "mfa_withdraw"
    case factorFailed = "mfa_fail"
    case passkeyEnrolled = "passkey_enroll"
    case passkeyRemoved = "passkey_remove"
    case passkeyRefused = "passkey_fail"
    case refreshFailed = "token_refresh_fail"
    case refreshReused = "refresh_reuse"
    case passwordChanged = "password_change"
    case emailChanged = "email_change"
    case resetRequested = "reset_requested"
    case resetDone = "reset_done"
    case codeIssued = "code_issued"
    case codeUsed = "code_used"
    case codeFailed = "code_failed"
    case changeReverted = "change_reverted"
    case providerLinked = "provider_link"
    case providerUnlinked = "provider_unlink"
    case profileChanged = "profile_change"
    case userDisabled = "user_disable"
    case userEnabled = "user_enable"
    case userDeleted = "user_delete"
    case userErased = "user_erase"
    case claimsChanged = "claims_change"
    case revoked = "revoke"
    case adminAPI = "admin_api"
    case usersImported = "users_import"
    case usersExported = "users_export"
    case secretUsed = "secret_used"
    case keyRotated = "key_rotate"
    case configurationChanged = "config_change"
    case developerMode = "dev_mode_use"
    case console
    case consoleRefused = "console_refused"
    case lockout
  }

  /// The kind of event.
  package var kind: Kind
  /// The uid of the user that it is about.
  public var uid: String?
  /// The address, in canonical form; written masked (`a***@example.com`).
  public var email: String?
  /// The address of the client that caused it; empty for the server itself.
  public var clientAddress: String
  /// The user agent of the client that caused it.
  public var userAgent: String
  /// The id of the request that caused it.
  public var requestID: String
  /// A class of reasons or a short fact. No password, token or code.
  public var detail: String?
  /// True when an administrator caused it.
  var isByAdministrator = false

  /// Creates an event that a client caused.
  package init(
    _ kind: Kind, uid: String? = nil, email: String? = nil, client: ClientInfo, detail: String? = nil
  ) {
    self.kind = kind
    self.uid = uid
    self.email = email
    clientAddress = client.address
    userAgent = client.userAgent
    requestID = client.requestID
    self.detail = detail
  }
}

/// The client that sent a request.
public struct ClientInfo: Sendable, Equatable {
  /// The peer's IP address, or the one that a trusted proxy reports; empty for the command line.
  public var address: String
  /// The user agent; at most 256 bytes are kept.
  public var userAgent: String
  /// The request's id, for the audit trail and for plugins.
  public var requestID: String
  /// The language from `X-Firebase-Locale`, or the first of `Accept-Language`.
  public var locale: String?

  /// Creates a client from the data of a request.
  public init(address: String, userAgent: String, requestID: String, locale: String? = nil) {
    self.address = address
    self.userAgent = userAgent
    self.requestID = requestID
    self.locale = locale
  }

  /// The server itself.
  package static let server = ClientInfo(address: "", userAgent: "hearth", requestID: "start")

  /// The command line on a stopped data folder.
  public static let commandLine = ClientInfo(address: "", userAgent: "hearth", requestID: "cli")
}
