import NIOSSL
import Synchronization

/// The TLS settings of new connections. Existing connections keep their own.
package final class CurrentTLSContext: Sendable {
  private let context: Mutex<NIOSSLContext>

  /// Creates the settings with this context until it is replaced.
  package init(_ context: NIOSSLContext) { self.context = Mutex(context) }

  var current: NIOSSLContext { context.withLock { $0 } }

  func replace(with context: NIOSSLContext) { self.context.withLock { $0 = context } }
}
