import NIOSSL
import Synchronization

/// The TLS settings of connections that begin now. Those that are there keep what they began with.
package final class ServedContext: Sendable {
  private let context: Mutex<NIOSSLContext>

  /// Serves that one until it is replaced.
  package init(_ context: NIOSSLContext) { self.context = Mutex(context) }

  var current: NIOSSLContext { context.withLock { $0 } }

  func replace(with context: NIOSSLContext) { self.context.withLock { $0 = context } }
}
