import Foundation

#if canImport(UIKit) && !os(tvOS) && !os(watchOS)
  import UIKit

  /// The presentation of view controllers by an app, with the requirements of Firebase's SDK.
  ///
  /// Sign-in pages open in the system's own authentication session, which needs none of the methods.
  public protocol AuthUIDelegate: NSObjectProtocol, Sendable {
    /// Presents a view controller.
    @MainActor func present(
      _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)?)
    /// Dismisses the view controller.
    @MainActor func dismiss(animated flag: Bool, completion: (() -> Void)?)
  }
#else
  /// The opener of sign-in pages in the user's browser.
  public protocol AuthUIDelegate: AnyObject, Sendable {
    /// Opens a page in the user's browser. The page's address is valid once, for ten minutes.
    func open(_ url: URL) async throws
  }

  /// An opener that calls a closure.
  public final class AuthURLOpener: AuthUIDelegate {
    /// An opener that asks the user on standard error to open the address.
    public static let standardError = AuthURLOpener { url in
      FileHandle.standardError.write(
        Data("To continue, open this address in a browser on this machine:\n\(url)\n".utf8))
    }

    private let work: @Sendable (URL) async throws -> Void

    /// Creates an opener.
    public init(_ work: @escaping @Sendable (URL) async throws -> Void) { self.work = work }

    /// Opens a page in the user's browser.
    public func open(_ url: URL) async throws { try await work(url) }
  }
#endif
