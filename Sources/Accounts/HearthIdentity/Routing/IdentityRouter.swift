import HearthAccounts
import HearthTree

/// Finds the routes of requests for the accounts.
///
/// The host names of Google's API select a set of routes, as the path's first segment or as the value of `Host`; without one, only
/// paths that clearly belong to the identity interface are accepted.
package enum IdentityRouter {
  /// The routes for a request's path, and the one that takes its method.
  package struct Match: Sendable {
    /// The routes for the path, in the table's order; at least one.
    private(set) var routes: [IdentityRoute]
    /// The operation that the request asks for; where no route takes its method, that of the first.
    package private(set) var operation: IdentityOperation
    /// True when a route takes the method.
    private(set) var takesMethod: Bool
    /// The project in the path.
    let project: String?
    /// The tenant in the path; nil for the project itself.
    let tenant: String?
    /// The provider configuration of the path; nil when that names none.
    let configuration: String?

    /// The callers that the path is for.
    package var audience: IdentityOperation.Audience { routes[0].operation.audience }

    /// True for a path that browsers open, whose errors are readable pages.
    package var isForBrowsers: Bool { audience == .people }

    /// The longest body of a request at the path, in bytes.
    package var bodyBytesMax: Int { routes.map(\.operation.bodyBytesMax).max() ?? IdentityBody.sizeBytesMax }

    init(_ route: IdentityRoute, _ values: [String: String] = [:], method: String) {
      routes = [route]
      operation = route.operation
      takesMethod = route.takes(method: method)
      project = values["project"]
      tenant = values["tenant"]
      configuration = values["config"]
    }

    fileprivate mutating func add(_ route: IdentityRoute, method: String) {
      routes.append(route)
      guard !takesMethod, route.takes(method: method) else { return }
      operation = route.operation
      takesMethod = true
    }

    /// True for the interface of 2.x clients.
    var isLegacy: Bool { routes.contains { $0.operation.handler.isLegacy } }

    /// The methods that the routes take, for an `Allow` header.
    var methods: String { routes.flatMap(\.address.methods).joined(separator: ", ") }

    /// Returns the operation that takes another method than the request's, which a 2.x client names in its fields.
    func operation(taking method: String) -> IdentityOperation? {
      routes.first { $0.takes(method: method) }?.operation
    }
  }

  /// The first segment of paths for browsers, whatever they end with.
  private static let reserved = "__"

  /// The routes for a request; nil when it is not for the accounts. Cheap in that case, because it is called for every request of
  /// the server.
  ///
  /// - Parameters:
  ///   - method: the HTTP method in capitals.
  ///   - path: percent-encoded, without the query.
  ///   - host: the host name of `Host`, in lower case, without a port.
  package static func match(method: String, path: String, host: String) -> Match? {
    guard mayMatch(path: path, host: host), path.utf8.count <= 2_048, path.utf8.first == UInt8(ascii: "/") else {
      return nil
    }
    var segments: [String] = []
    for piece in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentEncoding.decode(piece) else { return nil }
      segments.append(segment)
    }
    if let first = segments.first, let service = EndpointAddress.Service(host: first) {
      return match(segments.dropFirst(), method, of: service) ?? Match(unknown, method: method)
    }
    if let service = EndpointAddress.Service(host: host) {
      return match(segments[...], method, of: service) ?? Match(unknown, method: method)
    }
    return path.hasSuffix(".json") && segments.first != reserved ? nil : match(segments[...], method, of: nil)
  }

  private static let unknown = IdentityRoute(operation: .unknown, address: EndpointAddress("*", "", of: []))

  /// Returns false for most other paths, at almost no cost: data paths rarely begin like these.
  private static func mayMatch(path: String, host: String) -> Bool {
    if host.hasSuffix(".googleapis.com") || host.hasSuffix(".google.com") { return true }
    let first = path.utf8.drop { $0 == UInt8(ascii: "/") }.prefix { $0 != UInt8(ascii: "/") }
    return !path.hasSuffix(".json") || first.contains(UInt8(ascii: ".")) || first.elementsEqual(reserved.utf8)
  }

  /// - Parameter service: the host name whose routes are searched; nil for all.
  private static func match(
    _ segments: ArraySlice<String>, _ method: String, of service: EndpointAddress.Service?
  ) -> Match? {
    guard let first = segments.first else { return nil }
    var match: Match?
    for route in (byFirstSegment[first] ?? []) + withoutFirstSegment {
      if let service, !route.address.services.contains(service) { continue }
      guard let values = route.pattern.match(segments) else { continue }
      if match == nil { match = Match(route, values, method: method) } else { match?.add(route, method: method) }
    }
    return match
  }

  /// The routes, by the literal with which their paths begin.
  private static let byFirstSegment = Dictionary(
    grouping: IdentityRoute.all.filter { $0.pattern.firstLiteral != nil }, by: { $0.pattern.firstLiteral ?? "" })
  private static let withoutFirstSegment = IdentityRoute.all.filter { $0.pattern.firstLiteral == nil }
}
