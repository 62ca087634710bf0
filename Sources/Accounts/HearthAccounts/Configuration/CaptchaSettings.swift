import HearthCrypto
import HearthPlugin
import HearthTree

/// A service that tells people from programs: its widget in the app makes a token, which the service is shown by us.
public struct CaptchaSettings: Sendable, Equatable, Redacted {
  /// The services that are known. Each answers in the same way.
  public enum Service: String, Sendable, CaseIterable {
    /// Google's, in its version 2 or 3; that of Intuition Machines; Cloudflare's.
    case recaptcha, hcaptcha, turnstile

    /// The place where it is asked about a token.
    var verifyURL: String {
      switch self {
      case .recaptcha: "https://www.google.com/recaptcha/api/siteverify"
      case .hcaptcha: "https://api.hcaptcha.com/siteverify"
      case .turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify"
      }
    }
  }

  /// How the widget on this server's own page works, which depends on the kind of the key. Apps put up theirs as they want.
  public enum Widget: String, Sendable, CaseIterable {
    /// Something to click.
    case checkbox
    /// Nothing to click, unless the service is in doubt: an invisible key of reCAPTCHA 2 or hCaptcha.
    case invisible
    /// A score alone: a key of reCAPTCHA 3.
    case score
  }

  /// Who is asked.
  public var service: Service
  /// What apps put the widget up with; no secret.
  public var siteKey: String
  /// What the service knows this server by.
  public var secret: String
  /// The place where the service is asked.
  public var verifyURL: String
  /// Hosts of the pages whose tokens count; empty for those that the service admits.
  public var hostnames: [String] = []
  /// How the widget works on the page for native apps.
  public var widget = Widget.checkbox
  /// The lowest score, in hundredths, of services that give one.
  public var scoreMin = 50

  /// A service at its usual address.
  public init(service: Service, siteKey: String, secret: String) {
    (self.service, self.siteKey, self.secret) = (service, siteKey, secret)
    verifyURL = service.verifyURL
  }

  /// Reads `phone.captcha` of an operator's file.
  init(_ value: JSON, at place: String) throws(SettingsError) {
    let values = try SettingsReader(
      value, at: place,
      names: ["service", "siteKey", "secret", "secretFile", "verifyURL", "hostnames", "scoreMin", "widget"])
    guard let service = Service(rawValue: try values.requiredText("service")) else {
      throw values.error("service", "must be recaptcha, hcaptcha or turnstile")
    }
    self.init(
      service: service, siteKey: try values.requiredText("siteKey"), secret: try values.requiredSecret("secret"))
    if let url = try values.text("verifyURL") {
      guard ContinueURL(url) != nil else { throw values.error("verifyURL", "must be a URL: https://host/path") }
      verifyURL = url
    }
    hostnames = try values.texts("hostnames")?.map { $0.lowercased() } ?? []
    if let text = try values.text("widget") {
      guard let widget = Widget(rawValue: text), widget != .score || service == .recaptcha else {
        throw values.error("widget", "must be checkbox or invisible, or for a key of reCAPTCHA 3 score")
      }
      self.widget = widget
    }
    scoreMin = try values.int("scoreMin", in: 0...100) ?? scoreMin
  }
}
