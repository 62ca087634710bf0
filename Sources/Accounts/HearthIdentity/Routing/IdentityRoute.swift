import HearthCrypto

/// One row of the table of what is served: an operation, and how it is asked for.
package struct IdentityRoute: Sendable {
  /// The hosts that clients believe to talk to. A request names one as its path's first segment or in `Host`.
  enum Service: CaseIterable, Sendable {
    case toolkit, tokens, files, authorization

    init?(host: String) {
      switch host {
      case "identitytoolkit.googleapis.com": self = .toolkit
      case "securetoken.googleapis.com", "securetoken.google.com", "session.firebase.google.com": self = .tokens
      case "www.googleapis.com": self = .files
      case "oauth2.googleapis.com": self = .authorization
      default: return nil
      }
    }
  }

  /// What is done for the request.
  package let operation: IdentityOperation
  /// Under which names it is served, beside the server's own; empty for the server's own alone.
  let services: [Service]
  let pattern: PathPattern
  /// Empty for any. A row for GET takes HEAD, too.
  let methods: [String]
  /// What it needs of its caller.
  package let requirement: Requirement
  /// True when the method is what the request says in its fields, as clients of the 2.x kind say it.
  let isLegacy: Bool

  init(
    _ services: [Service], _ method: String, _ pattern: PathPattern, _ operation: IdentityOperation,
    _ requirement: Requirement, isLegacy: Bool = false
  ) {
    self.operation = operation
    self.services = services
    self.pattern = pattern
    methods = method == "*" ? [] : method.split(separator: " ").map(String.init)
    self.requirement = requirement
    self.isLegacy = isLegacy
  }

  /// True when it is about the server, and not about a project.
  var isOfServer: Bool { pattern.firstLiteral == "hearth" }

  func takes(method: String) -> Bool {
    methods.isEmpty || methods.contains(method == "HEAD" ? "GET" : method)
  }

  /// What is said for no operation of a service whose name the request has.
  static let unknown = IdentityRoute([], "*", "", .unknown, .nothing)
}
