#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
  import AuthenticationServices
  import Foundation

  extension WebContext {
    func open(
      _ uiDelegate: (any AuthUIDelegate)?, _ url: @Sendable ([(name: String, value: String)]) throws -> URL
    ) async throws -> [String: String] {
      #if !canImport(UIKit)
        if let uiDelegate { return try await openLoopback(uiDelegate, url) }
      #endif
      let options = auth.app.options
      guard !options.googleAppID.isEmpty, let bundleID = Bundle.main.bundleIdentifier else {
        throw AuthErrorCode.internalError.error(
          "A sign-in page returns to an app with a bundle id and a Firebase app id: set FirebaseOptions.googleAppID.")
      }
      let page = try url([("ibi", bundleID), ("appId", options.googleAppID)])
      let scheme = "app-" + options.googleAppID.replacingOccurrences(of: ":", with: "-")
      let returned = try await WebAuthenticationSession().open(page, scheme: scheme)
      guard let result = result(of: returned.absoluteString) else {
        throw AuthErrorCode.webSignInUserInteractionFailure.error()
      }
      return result
    }
  }

  /// A visit in the system's authentication session.
  @MainActor private final class WebAuthenticationSession: NSObject, ASWebAuthenticationPresentationContextProviding {
    private var session: ASWebAuthenticationSession?

    func open(_ url: URL, scheme: String) async throws -> URL {
      try await withCheckedThrowingContinuation { continuation in
        let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) { @Sendable url, _ in
          if let url {
            continuation.resume(returning: url)
          } else {
            continuation.resume(throwing: AuthErrorCode.webContextCancelled.error())
          }
        }
        session.presentationContextProvider = self
        self.session = session
        session.start()
      }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { ASPresentationAnchor() }
  }
#endif
