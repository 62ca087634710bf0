/// The address of an operation: the hosts that clients name, the methods and the path.
struct EndpointAddress: Sendable {
  /// The hosts that clients name. A request names one as its path's first segment or in `Host`.
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

  /// The Google host names that serve the address in addition to the server's own host names; empty for the server's own alone.
  let services: [Service]
  /// Empty for any method. `GET` includes `HEAD`.
  let methods: [String]
  let pattern: RoutePattern

  init(_ method: String, _ pattern: RoutePattern, of services: [Service] = [.toolkit]) {
    self.services = services
    self.pattern = pattern
    methods = method == "*" ? [] : method.split(separator: " ").map(String.init)
  }

  func takes(method: String) -> Bool {
    methods.isEmpty || methods.contains(method == "HEAD" ? "GET" : method)
  }

  /// An address of version 3, which older clients use, also under the name of another host.
  static func v3(_ method: String, _ name: String) -> EndpointAddress {
    EndpointAddress(
      method, RoutePattern(stringLiteral: "identitytoolkit/v3/relyingparty/" + name), of: [.toolkit, .files])
  }
}

extension [EndpointAddress] {
  /// A path of the identity service.
  static func toolkit(_ method: String, _ pattern: RoutePattern) -> [EndpointAddress] {
    [EndpointAddress(method, pattern)]
  }

  /// A path of the identity service, and the name that version 3 has for the operation.
  static func toolkit(_ method: String, _ pattern: RoutePattern, v3 name: String) -> [EndpointAddress] {
    [EndpointAddress(method, pattern), .v3(method, name)]
  }

  /// A path below a project and below its tenants.
  ///
  /// - Parameters:
  ///   - start: the version and the path segments before the project.
  ///   - end: the rest of the path after the project or the tenant, with its `/` or `:`.
  static func project(_ method: String, _ start: String, _ end: String) -> [EndpointAddress] {
    ["{project}", "{project}/tenants/{tenant}"].map {
      EndpointAddress(method, RoutePattern(stringLiteral: start + "/projects/" + $0 + end))
    }
  }

  /// An operation of the server's own interface for its operator.
  static func server(_ name: String) -> [EndpointAddress] {
    [EndpointAddress("POST", RoutePattern(stringLiteral: "hearth/v1/" + name), of: [])]
  }

  /// Paths of an emulator's own interface.
  static func emulator(_ method: String, _ patterns: RoutePattern...) -> [EndpointAddress] {
    patterns.map { EndpointAddress(method, $0, of: []) }
  }

  /// A path of the interface of 2.x clients.
  static func legacy(_ method: String, _ patterns: RoutePattern...) -> [EndpointAddress] {
    patterns.map { EndpointAddress(method, $0, of: []) }
  }

  /// Paths of a page, which are the same under every name of the server.
  static func page(_ patterns: RoutePattern...) -> [EndpointAddress] {
    patterns.map { EndpointAddress("*", $0, of: EndpointAddress.Service.allCases) }
  }
}
