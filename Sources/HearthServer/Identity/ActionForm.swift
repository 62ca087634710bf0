import HearthGateway
import HearthTree

/// What a mailed link, or the form behind it, asks for.
struct ActionForm: Sendable, Equatable {
  /// The word in links, and what the code behind it was made for.
  enum Mode: String, Sendable, CaseIterable {
    case resetPassword
    case verifyEmail
    case verifyAndChangeEmail
    case recoverEmail
    case signIn

    /// How the identity interface calls the purpose of such a code.
    var requestType: String {
      switch self {
      case .resetPassword: "PASSWORD_RESET"
      case .verifyEmail: "VERIFY_EMAIL"
      case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
      case .recoverEmail: "RECOVER_EMAIL"
      case .signIn: "EMAIL_SIGNIN"
      }
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

  /// Nil when a part is missing, comes twice, or is too long to be meant.
  init?(_ query: URLQuery, isForm: Bool) {
    var parts: [String: String] = [:]
    for parameter in query.parameters {
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
  }

  /// The continue URL with what an app needs to finish the sign-in by itself.
  func finishURL(_ continueURL: String) -> String {
    var members = [("mode", mode.rawValue), ("oobCode", code)]
    if let apiKey { members.append(("apiKey", apiKey)) }
    if let language { members.append(("lang", language)) }
    let text = members.map { "\($0)=\(Self.encode($1))" }.joined(separator: "&")
    let base = continueURL.prefix { $0 != "#" }
    return base + (base.contains("?") ? "&" : "?") + text + continueURL.dropFirst(base.count)
  }

  private static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
