import Foundation

/// A parsed mailed link. Its description omits the code.
public struct ActionCodeURL: Sendable, CustomStringConvertible, CustomReflectable {
  /// The API key of the project.
  public let apiKey: String?
  /// The operation of the code.
  public let operation: ActionCodeOperation
  /// The code, a secret.
  public let code: String?
  /// The URL that the page continues to.
  public let continueURL: URL?
  /// The language of the page, such as `en`.
  public let languageCode: String?

  /// Reads a link; nil when it has no code. Links that apps open may carry the code in a nested link.
  public init?(link: String) {
    var link: String? = link
    for _ in 0..<4 {
      guard let text = link, text.utf8.count <= 16_384, let items = URLComponents(string: text)?.queryItems else {
        return nil
      }
      func value(_ name: String) -> String? { items.last { $0.name == name }?.value }
      if let code = value("oobCode"), let mode = value("mode"), !code.isEmpty {
        self.code = code
        operation = ActionCodeOperation(mode: mode)
        apiKey = value("apiKey")
        continueURL = value("continueUrl").flatMap { URL(string: $0) }
        languageCode = value("lang")
        return
      }
      link = value("link") ?? value("deep_link_id")
    }
    return nil
  }

  public var description: String { "link of \(operation)" }
  public var customMirror: Mirror { Mirror(self, children: ["operation": operation]) }
}
