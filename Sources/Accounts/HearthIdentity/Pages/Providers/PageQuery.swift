import HearthTree

/// The parameters that an SDK opens a page with: each comes once.
struct PageQuery: Sendable {
  private static let textBytesMax = 256
  private static let longTextBytesMax = 4_096
  private static let parametersMax = 20

  private let parts: [String: String]

  /// Reads the query; nil when a parameter comes twice.
  init?(_ query: [(name: String, value: String)]) {
    guard let parts = Self.parts(query) else { return nil }
    self.parts = parts
  }

  /// Parameters by their names; nil when one comes twice: readers of the first and of the last would get different
  /// values.
  static func parts(_ parameters: [(name: String, value: String)]) -> [String: String]? {
    var parts: [String: String] = [:]
    for parameter in parameters {
      guard parts[parameter.name] == nil else { return nil }
      parts[parameter.name] = parameter.value
    }
    return parts
  }

  /// Returns a parameter; nil when it is absent, empty, or too long.
  func text(_ name: String, sizeBytesMax: Int = textBytesMax) -> String? {
    parts[name].flatMap { $0.isEmpty || $0.utf8.count > sizeBytesMax ? nil : $0 }
  }

  /// Returns true when a parameter is present, even if it is empty.
  func has(_ name: String) -> Bool { parts[name] != nil }

  /// The tenant; nil for the project itself.
  var tenantID: String? { text("tid") ?? text("tenantId") }

  /// The scopes that the app requests from a provider.
  var scopes: [String] {
    (text("scopes", sizeBytesMax: Self.longTextBytesMax) ?? "").split(separator: ",").map(String.init)
  }

  /// The app's parameters for a provider's page; nil when they are no object of texts.
  var customParameters: [String: String]? {
    guard let text = text("customParameters", sizeBytesMax: Self.longTextBytesMax) else { return [:] }
    guard let members = JSON(parsing: text.utf8)?.members, members.count <= Self.parametersMax else { return nil }
    var parameters: [String: String] = [:]
    for member in members {
      guard let value = member.value.string else { return nil }
      parameters[member.name] = value
    }
    return parameters
  }
}
