import HearthAccounts
import HearthTree

/// The request of a mailed link, or of the form behind it.
struct ActionForm: Sendable, Equatable {
  /// The `mode` in links, by the purpose of the code.
  enum Mode: String, Sendable, CaseIterable {
    case resetPassword
    case verifyEmail
    case verifyAndChangeEmail
    case recoverEmail
    case revertSecondFactorAddition
    case revertChange
    case signIn

    /// The purpose of such a code, as the identity interface calls it.
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
  /// The new password; accepted only from a form, never from a link.
  var newPassword: String?
  /// The code of a second factor; accepted only from a form.
  var factorCode: String?

  /// Reads the parameters; nil when a part is missing, comes twice, or is too long.
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

  /// Returns the continue URL with the parameters that an app needs to complete the sign-in by itself.
  func finishURL(_ continueURL: String) -> String {
    var members = [("mode", mode.rawValue), ("oobCode", code)]
    if let apiKey { members.append(("apiKey", apiKey)) }
    if let language { members.append(("lang", language)) }
    let text = members.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
    let base = continueURL.prefix { $0 != "#" }
    return base + (base.contains("?") ? "&" : "?") + text + continueURL.dropFirst(base.count)
  }
}
