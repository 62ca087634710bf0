/// A client that verifies captcha tokens with their service.
package protocol CaptchaService: Sendable {
  /// Posts a form to a URL that the operator named, once, without following redirects.
  ///
  /// - Returns: the body of the response; nil without one.
  func ask(_ url: String, form: [(name: String, value: String)]) async -> [UInt8]?
}
