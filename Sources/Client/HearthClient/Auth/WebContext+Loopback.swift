import Foundation

#if !canImport(UIKit) || os(tvOS) || os(watchOS)
  extension WebContext {
    /// Opens a page in the user's browser, which returns to a port of this machine.
    func openLoopback(
      _ opener: any AuthUIDelegate, _ url: @Sendable ([(name: String, value: String)]) throws -> URL
    ) async throws -> [String: String] {
      let listener = try await LoopbackListener.open { target in self.result(of: target) }
      defer { listener.close() }
      return try await withTaskCancellationHandler {
        try await opener.open(try url([("loopbackPort", String(listener.port))]))
        return try await listener.result()
      } onCancel: {
        listener.close()
      }
    }
  }
#endif

#if !canImport(AuthenticationServices) || os(tvOS) || os(watchOS)
  extension WebContext {
    func open(
      _ uiDelegate: (any AuthUIDelegate)?, _ url: @Sendable ([(name: String, value: String)]) throws -> URL
    ) async throws -> [String: String] {
      guard auth.service.endpoint.base != nil else {
        throw AuthErrorCode.operationNotAllowed.error(
          "Google's sign-in pages return to apps on Apple's systems only. Sign in with a credential of the provider.")
      }
      return try await openLoopback(uiDelegate ?? AuthURLOpener.standardError, url)
    }
  }
#endif
