/// A client that verifies captcha tokens with their service.
package protocol CaptchaService: Sendable {
  /// Posts a form to a URL that the operator named, once, without following redirects.
  ///
  /// - Returns: the body of the answer; nil when none came.
  func ask(_ url: String, form: [(name: String, value: String)]) async -> [UInt8]?
}
