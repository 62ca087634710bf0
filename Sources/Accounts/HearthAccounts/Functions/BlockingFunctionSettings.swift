import HearthPlugin
import HearthTree

/// The functions that are called over HTTP before accounts are created and sessions begin.
public struct BlockingFunctionSettings: Sendable, Equatable {
  /// A blocking function.
  public struct Function: Sendable, Equatable {
    /// The URL: `http:` or `https:`, without user information and fragment. It must be a public address over `https:`,
    /// or name this machine.
    public var url: String
    /// True when the function may be at any address, also without TLS.
    public var allowsPrivate = false
    /// The signing method of its requests; nil is ``Signing/rs256``, and on an emulator ``Signing/none``.
    public var signing: Signing?
    /// True when a sign-in continues although the function is unreachable. Only for
    /// ``BlockingFunctionSettings/beforeSignIn``.
    public var allowsUnreachable = false

    /// Creates a function with that URL.
    public init(url: String) { self.url = url }
  }

  /// The proof that a request comes from this server.
  public enum Signing: String, Sendable, CaseIterable {
    /// A signature with the server's key, whose certificate functions fetch.
    case rs256 = "RS256"
    /// No signature, as functions that run for an emulator expect it: any client that can reach such a function can
    /// call it.
    case none
  }

  /// The function called before an account is created.
  public var beforeCreate: Function?
  /// The function called before a session begins.
  public var beforeSignIn: Function?
  /// The tokens of other providers that are forwarded to the functions.
  public var forwarded: Set<HookCredential.Token> = []

  /// Creates settings without functions.
  public init() {}

  /// Settings with unreachable functions, in the place of stored settings that cannot be read.
  static let unreadable: BlockingFunctionSettings = {
    var settings = BlockingFunctionSettings()
    settings.beforeCreate = Function(url: "")
    settings.beforeSignIn = Function(url: "")
    return settings
  }()

  /// The longest URL in bytes.
  static let urlBytesMax = 2_048
}

/// The form of the identity service's project configuration, with `signing`, `onUnreachable` and `allowsPrivate` in
/// addition:
///
///     {
///       "triggers": {
///         "beforeCreate": { "functionUri": "http://10.1.2.3", "allowsPrivate": true, "signing": "RS256" },
///         "beforeSignIn": { "functionUri": "https://…", "onUnreachable": "allow" }
///       },
///       "forwardInboundCredentials": { "idToken": true }
///     }
extension BlockingFunctionSettings {
  /// - Parameter namingAllowsPrivate: true when a function without `allowsPrivate` may be at a private address, as in
  ///   the operator's file and in the stored settings of earlier versions.
  /// - Throws: `invalidBlockingFunction` with the error.
  package init(json: JSON, namingAllowsPrivate: Bool = false) throws(AccountError) {
    guard let members = json.members else { throw Self.wrong("blockingFunctions must be an object") }
    for member in members {
      switch member.name {
      case "triggers":
        for trigger in try Self.object(member) { try readTrigger(trigger, namingAllowsPrivate: namingAllowsPrivate) }
      case "forwardInboundCredentials":
        for credential in try Self.object(member) {
          guard let token = HookCredential.Token(rawValue: credential.name) else {
            throw Self.wrong("unknown credential: \(Self.shown(credential.name))")
          }
          guard let isForwarded = credential.value.bool else {
            throw Self.wrong("\(token.rawValue) must be true or false")
          }
          if isForwarded { forwarded.insert(token) } else { forwarded.remove(token) }
        }
      default: throw Self.wrong("unknown member: \(Self.shown(member.name))")
      }
    }
  }

  private mutating func readTrigger(_ trigger: JSON.Member, namingAllowsPrivate: Bool) throws(AccountError) {
    guard let moment = HookEvent.Moment(rawValue: trigger.name) else {
      throw Self.wrong("unknown event: \(Self.shown(trigger.name))")
    }
    var function: Function?
    for member in try Self.object(trigger) {
      switch (member.name, member.value) {
      case ("functionUri", .string(let url)):
        guard Self.isUsable(url) else {
          throw Self.wrong("functionUri of \(moment.rawValue) must be an absolute http or https URL")
        }
        function = Function(url: url)
      case ("functionUri", _): throw Self.wrong("functionUri of \(moment.rawValue) must be a string")
      default: continue
      }
    }
    guard var function else { throw Self.wrong("functionUri of \(moment.rawValue) is missing") }
    function.allowsPrivate = namingAllowsPrivate
    for member in try Self.object(trigger) {
      switch member.name {
      // The project configuration that Identity Platform returns contains the time of the last change beside the URL, and clients
      // send it back.
      case "functionUri", "updateTime": continue
      case "signing":
        guard let signing = member.value.string.flatMap({ Signing(rawValue: $0) }) else {
          throw Self.wrong("signing must be RS256 or none")
        }
        function.signing = signing
      case "allowsPrivate":
        guard let isAllowed = member.value.bool else { throw Self.wrong("allowsPrivate must be true or false") }
        function.allowsPrivate = isAllowed
      case "onUnreachable":
        switch member.value.string {
        case "deny": function.allowsUnreachable = false
        case "allow" where moment == .beforeSignIn: function.allowsUnreachable = true
        case "allow": throw Self.wrong("onUnreachable can be allow for beforeSignIn only")
        default: throw Self.wrong("onUnreachable must be deny or allow")
        }
      default: throw Self.wrong("unknown member: \(Self.shown(member.name))")
      }
    }
    switch moment {
    case .beforeCreate: beforeCreate = function
    case .beforeSignIn: beforeSignIn = function
    }
  }

  /// Returns the members of an object; `null` stands for an empty one.
  private static func object(_ member: JSON.Member) throws(AccountError) -> [JSON.Member] {
    if case .null = member.value { return [] }
    guard let members = member.value.members else { throw wrong("\(shown(member.name)) must be an object") }
    return members
  }

  private static func isUsable(_ url: String) -> Bool {
    guard url.utf8.count <= urlBytesMax, !url.utf8.contains(UInt8(ascii: "#")), let parts = ContinueURL(url) else {
      return false
    }
    return parts.scheme == "https" || parts.scheme == "http"
  }

  private static func shown(_ name: String) -> String { PlainText.line(name, lengthMax: 64) }

  private static func wrong(_ what: String) -> AccountError { AccountError(.invalidBlockingFunction, what) }

  /// The form for clients, which ``init(json:namingAllowsPrivate:)`` reads.
  package var json: JSON { json(stated: false) }

  /// The stored form, with an explicit `allowsPrivate` for each function.
  var stored: JSON { json(stated: true) }

  private func json(stated: Bool) -> JSON {
    var triggers: [JSON.Member] = []
    for (moment, function) in [(HookEvent.Moment.beforeCreate, beforeCreate), (.beforeSignIn, beforeSignIn)] {
      guard let function else { continue }
      var members = [JSON.Member("functionUri", .string(function.url))]
      if let signing = function.signing { members.append(JSON.Member("signing", .string(signing.rawValue))) }
      if stated || function.allowsPrivate {
        members.append(JSON.Member("allowsPrivate", .bool(function.allowsPrivate)))
      }
      if function.allowsUnreachable { members.append(JSON.Member("onUnreachable", .string("allow"))) }
      triggers.append(JSON.Member(moment.rawValue, .object(members)))
    }
    let forwards = HookCredential.Token.allCases.filter { forwarded.contains($0) }
    var members: [JSON.Member] = []
    if !triggers.isEmpty { members.append(JSON.Member("triggers", .object(triggers))) }
    if !forwards.isEmpty {
      let told = forwards.map { JSON.Member($0.rawValue, .bool(true)) }
      members.append(JSON.Member("forwardInboundCredentials", .object(told)))
    }
    return .object(members)
  }
}
