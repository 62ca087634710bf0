import HearthTree

@testable import HearthAccounts
@testable import HearthIdentity

extension Parser {
  /// Parsers of requests from admin SDKs and from the scripts of sign-in pages.
  static let identityParsers = [
    Parser(name: "project-settings") { bytes in
      // The first line is the mask, followed by the body.
      let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
      guard let body = JSON(parsing: bytes.dropFirst(line.count + 1)), body.members != nil else { return }
      let masks = String(decoding: line, as: UTF8.self).split(separator: ",").map(String.init)
      let configuration = AccountsConfiguration(publicURL: "http://127.0.0.1:9000")
      let fixed = FixedSettings(configuration)
      var settings = ProjectSettings(body, serves: { _ in true }, servesPhones: true)
      for mask in masks + ProjectSettings.leaves(of: body) {
        if fixed.matches(mask, in: body) { continue }
        try? settings.change(mask)
      }
      _ = try? BlockingFunctionSettings(json: body)
      // Stored settings are parsed again when the server starts.
      guard let changes = settings.changes else { return }
      _ = try? AccountsConfiguration.parse(Array(changes.text()), over: configuration)
    },
    Parser(name: "handler-request") { bytes in
      let target = String(decoding: bytes, as: UTF8.self)
      if let pairs = PercentEncoding.pairs(bytes), let request = HandlerRequest(pairs) {
        guard let event = HandlerEvent(memo: request.memo) else {
          throw Violation(description: "a visit is not read as it was kept")
        }
        try require(
          event.eventID == request.eventID && event.tenantID == request.tenantID && event.kind == request.kind,
          "a visit is read as another one")
        try require(JSON(parsing: event.text(.open).utf8) != nil, "what the page's script reads is no JSON")
      }
      _ = HandlerEvent(memo: target).map { $0.text(.error(code: target, message: target)) }
    },
    Parser(name: "emulated-credential") { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      for provider in ["google.com", "oidc.acme"] {
        _ = try? EmulatedCredential.identity(providerID: provider, parameters: ["id_token": text])
        _ = try? EmulatedCredential.identity(providerID: provider, parameters: ["access_token": text])
      }
      let assertion = ["id_token": #"{"sub":"abc"}"#, "SAMLResponse": text]
      _ = try? EmulatedCredential.identity(providerID: "saml.acme", parameters: assertion)
      _ = EmulatedCredential.parts(requestURI: text, postBody: PercentEncoding.pairs(bytes) ?? [])
    },
  ]
}
