import Dispatch
import Foundation

#if canImport(Network)
  import Network
#endif

/// A monitor that reports when an attempt to connect may succeed although earlier ones failed: the system has a network
/// again, or the app came to the foreground, before which the system closes its sockets.
final class Reachability: @unchecked Sendable {
  // Unchecked because its properties do not change.

  /// The notification of UIKit, by name: this library does not need UIKit. See
  /// https://developer.apple.com/documentation/uikit/uiapplication/willenterforegroundnotification
  static let willEnterForeground = Notification.Name("UIApplicationWillEnterForegroundNotification")

  private let observer: any NSObjectProtocol
  #if canImport(Network)
    private let monitor = NWPathMonitor()
  #endif

  /// Starts to monitor, until the monitor is released.
  ///
  /// - Parameter reachable: Called on any thread, sometimes without a change.
  init(_ reachable: @escaping @Sendable () -> Void) {
    observer = NotificationCenter.default.addObserver(
      forName: Self.willEnterForeground, object: nil, queue: nil
    ) { _ in reachable() }
    #if canImport(Network)
      monitor.pathUpdateHandler = { path in if path.status == .satisfied { reachable() } }
      monitor.start(queue: DispatchQueue(label: "hearth.client.network"))
    #endif
  }

  deinit {
    NotificationCenter.default.removeObserver(observer)
    #if canImport(Network)
      monitor.cancel()
    #endif
  }
}
