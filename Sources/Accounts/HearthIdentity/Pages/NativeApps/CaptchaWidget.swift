import HearthAccounts
import HearthTree

/// A captcha widget on a page: its library, and the sources that a content security policy must allow for it.
struct CaptchaWidget: Sendable, Equatable {
  let settings: CaptchaSettings
  /// The language; nil leaves it to the browser.
  let language: String?

  /// The page's function that the library calls when it has loaded.
  static let callback = "hearthCaptchaReady"

  /// The name of the library's global object.
  var object: String {
    switch settings.service {
    case .recaptcha: "grecaptcha"
    case .hcaptcha: "hcaptcha"
    case .turnstile: "turnstile"
    }
  }

  /// The URL of the library.
  var libraryURL: String {
    let key = PercentEncoding.encode(settings.siteKey)
    let render = settings.widget == .score ? key : "explicit"
    let language = language.map { "&hl=" + PercentEncoding.encode($0) } ?? ""
    let query = "?render=\(render)&onload=\(Self.callback)"
    return switch settings.service {
    case .recaptcha: "https://www.google.com/recaptcha/api.js" + query + language
    case .hcaptcha: "https://js.hcaptcha.com/1/api.js" + query + language
    case .turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js" + query
    }
  }

  /// The sources of the widget's scripts, frames, connections and styles, as the services document them.
  var sources: (scripts: String, frames: String) {
    switch settings.service {
    case .recaptcha:
      (
        "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
        "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/"
      )
    case .hcaptcha: ("https://hcaptcha.com https://*.hcaptcha.com", "https://hcaptcha.com https://*.hcaptcha.com")
    case .turnstile: ("https://challenges.cloudflare.com", "https://challenges.cloudflare.com")
    }
  }
}
