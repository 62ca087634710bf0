import HearthCrypto

/// Says which requests are for the accounts, and what each of them wants.
///
/// The service's host names select a set of routes, as the path's first segment or as the value of `Host`; without one,
/// only paths that are plainly of the identity interface are taken.
public enum IdentityRouter {
  /// Whether a request is for the accounts. Cheap; asked for every request of the server.
  ///
  /// - Parameters:
  ///   - path: percent-encoded, without the query.
  ///   - host: of `Host`, in lower case, without a port.
  public static func claims(path: String, host: String) -> Bool {
    guard mayClaim(path: path, host: host) else { return false }
    return route(path: path, host: host) != nil
  }

  /// A first look that costs next to nothing: data paths seldom begin like ours.
  private static func mayClaim(path: String, host: String) -> Bool {
    if host.hasSuffix(".googleapis.com") || host.hasSuffix(".google.com") { return true }
    let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
    return !path.hasSuffix(".json") || first.contains(UInt8(ascii: "."))
  }

  /// The route of a request; nil when it is not for the accounts.
  static func route(path: String, host: String) -> IdentityRoute? {
    guard path.utf8.count <= 2_048, path.utf8.first == UInt8(ascii: "/") else { return nil }
    var segments: [String] = []
    for piece in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentCoding.decode(piece) else { return nil }
      segments.append(segment)
    }
    if let first = segments.first, let service = Service(host: first) {
      return service.route(segments.dropFirst()) ?? IdentityRoute(.unknown, nil, .everybody)
    }
    if let service = Service(host: host) {
      return service.route(segments[...]) ?? IdentityRoute(.unknown, nil, .everybody)
    }
    if path.hasSuffix(".json") { return nil }
    return own(segments[...])
  }

  /// Paths without a service's name.
  private static func own(_ segments: ArraySlice<String>) -> IdentityRoute? {
    switch Array(segments.prefix(3)) {
    case let names where names.count == 3 && names[0] == "hearth" && names[1] == "v1":
      return IdentityRoute(.administrate(segments.dropFirst(2).joined(separator: "/")), "POST", .administrator)
    case ["emulator", "v1", "projects"]: return emulator(segments.dropFirst(3))
    default: break
    }
    for service in Service.allCases {
      if let route = service.route(segments) { return route }
    }
    return isLegacy(segments) ? IdentityRoute(.legacy, nil, .everybody) : nil
  }

  /// `/v2/<namespace>/users…` and `/v2/<namespace>/auth…`
  private static func isLegacy(_ segments: ArraySlice<String>) -> Bool {
    let parts = Array(segments)
    guard parts.count >= 3, parts[0] == "v2", !parts[1].isEmpty, !parts[1].contains(":") else { return false }
    guard !["accounts", "projects", "passwordPolicy", "recaptchaConfig"].contains(parts[1]) else { return false }
    return parts[2] == "users" || parts[2] == "auth"
  }

  private static func emulator(_ segments: ArraySlice<String>) -> IdentityRoute? {
    let parts = Array(segments)
    if parts.count == 4, parts[1] == "tenants" { return IdentityRoute(.unserved("tenants"), nil, .emulator) }
    guard parts.count == 2 else { return nil }
    var route: IdentityRoute
    switch parts[1] {
    case "accounts": route = IdentityRoute(.deleteAllAccounts, "DELETE", .emulator)
    case "oobCodes": route = IdentityRoute(.listCodes, "GET", .emulator)
    case "verificationCodes": route = IdentityRoute(.listPhoneCodes, "GET", .emulator)
    case "config": route = IdentityRoute(.emulatorConfig, "GET, PATCH", .emulator)
    default: return nil
    }
    route.project = parts[0]
    return route
  }
}

extension IdentityRouter {
  /// The hosts that clients believe to talk to.
  enum Service: CaseIterable {
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

    func route(_ segments: ArraySlice<String>) -> IdentityRoute? {
      let parts = Array(segments)
      switch self {
      case .toolkit: return ToolkitRoutes.route(parts)
      case .tokens:
        if parts == ["v1", "token"] { return IdentityRoute(.refresh) }
        if parts.count == 3, parts[1] == ".well-known" { return Self.wellKnown(parts) }
        return nil
      case .files:
        if parts.starts(with: ["identitytoolkit", "v3", "relyingparty"]) { return ToolkitRoutes.route(parts) }
        return Self.keys(parts)
      case .authorization:
        return parts == ["token"] ? IdentityRoute(.serviceAccountToken, "POST", .everybody) : nil
      }
    }

    private static func wellKnown(_ parts: [String]) -> IdentityRoute? {
      var route: IdentityRoute
      switch parts[2] {
      case "openid-configuration": route = IdentityRoute(.discovery, "GET", .everybody)
      case "jwks.json": route = IdentityRoute(.keySet(.idToken), "GET", .everybody)
      default: return nil
      }
      route.project = parts[0]
      return route
    }

    private static func keys(_ parts: [String]) -> IdentityRoute? {
      switch parts.joined(separator: "/") {
      case "robot/v1/metadata/x509/securetoken@system.gserviceaccount.com":
        return IdentityRoute(.certificates(.idToken), "GET", .everybody)
      case "service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        "service_accounts/v1/metadata/jwk/securetoken@system.gserviceaccount.com":
        return IdentityRoute(.keySet(.idToken), "GET", .everybody)
      default: return nil
      }
    }
  }
}
