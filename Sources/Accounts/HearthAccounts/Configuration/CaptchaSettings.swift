import HearthCrypto
import HearthPlugin
import HearthTree

/// A captcha service: its widget in the app creates a token, which this server verifies with the service.
public struct CaptchaSettings: Sendable, Equatable, Redacted {
  /// The supported services. Their responses have the same form.
  public enum Service: String, Sendable, CaseIterable {
    /// reCAPTCHA of Google (version 2 or 3), hCaptcha of Intuition Machines, Turnstile of Cloudflare.
    case recaptcha, hcaptcha, turnstile

    /// The service's URL for verifying a token.
    var verifyURL: String {
      switch self {
      case .recaptcha: "https://www.google.com/recaptcha/api/siteverify"
      case .hcaptcha: "https://api.hcaptcha.com/siteverify"
      case .turnstile: "https://challenges.cloudflare.com/turnstile/v0/siteverify"
      }
    }
  }

  /// The kind of widget on this server's own page, which depends on the kind of the key. Apps show their own widgets.
  public enum Widget: String, Sendable, CaseIterable {
    /// A checkbox.
    case checkbox
    /// An invisible key of reCAPTCHA 2 or hCaptcha, which shows a challenge only to suspicious clients.
    case invisible
    /// No widget, but a score: a key of reCAPTCHA 3.
    case score
  }

  /// The service.
  public var service: Service
  /// The public key for the widget.
  public var siteKey: String
  /// The server's secret for the service.
  public var secret: String
  /// The URL for verifying tokens.
  public var verifyURL: String
  /// The hosts of the pages whose tokens are accepted; empty for those that the service accepts.
  public var hostnames: [String] = []
  /// The kind of widget on the page for native apps.
  public var widget = Widget.checkbox
  /// The lowest score, in hundredths, of services that give one.
  public var scoreMin = 50

  /// Creates the settings for a service at its usual address.
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
        throw values.error("widget", "must be checkbox, invisible, or score for a reCAPTCHA 3 key")
      }
      self.widget = widget
    }
    scoreMin = try values.int("scoreMin", in: 0...100) ?? scoreMin
  }
}
