import HearthAccounts
import HearthTree

/// What a mailed link, or the form behind it, asks for.
struct ActionForm: Sendable, Equatable {
  /// The word in links, and what the code behind it was made for.
  enum Mode: String, Sendable, CaseIterable {
    case resetPassword
    case verifyEmail
    case verifyAndChangeEmail
    case recoverEmail
    case revertSecondFactorAddition
    case revertChange
    case signIn

    /// What such a code was made for, as the identity interface calls it.
    var requestType: String {
      Ticket.Purpose.allCases.first { $0.linkMode == rawValue }?.rawValue ?? ""
    }
  }

  static let textBytesMax = 8 << 10

  var mode: Mode
  var code: String
  var continueURL: String?
  var apiKey: String?
  var language: String?
  /// Only ever from a form, never from a link.
  var newPassword: String?
  /// Of a second factor; only ever from a form.
  var factorCode: String?

  /// Nil when a part is missing, comes twice, or is too long to be meant.
  init?(_ parameters: [(name: String, value: String)], isForm: Bool) {
    var parts: [String: String] = [:]
    for parameter in parameters {
      guard parts[parameter.name] == nil, parameter.value.utf8.count <= Self.textBytesMax else { return nil }
      parts[parameter.name] = parameter.value
    }
    guard let mode = parts["mode"].flatMap(Mode.init), let code = parts["oobCode"], !code.isEmpty else { return nil }
    self.mode = mode
    self.code = code
    continueURL = parts["continueUrl"].flatMap { $0.isEmpty ? nil : $0 }
    apiKey = parts["apiKey"]
    language = parts["lang"]
    newPassword = isForm ? parts["newPassword"] : nil
    factorCode = isForm ? parts["factorCode"] : nil
  }

  /// The continue URL with what an app needs to finish the sign-in by itself.
  func finishURL(_ continueURL: String) -> String {
    var members = [("mode", mode.rawValue), ("oobCode", code)]
    if let apiKey { members.append(("apiKey", apiKey)) }
    if let language { members.append(("lang", language)) }
    let text = members.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let base = continueURL.prefix { $0 != "#" }
    return base + (base.contains("?") ? "&" : "?") + text + continueURL.dropFirst(base.count)
  }
}
