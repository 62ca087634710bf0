import CTLS
import NIOCore

/// The settings of TLS connections of clients, with the system's OpenSSL: TLS 1.2 or newer, with verification of the
/// certificate chain and the host.
///
/// Unchecked because the settings do not change after they are made, and OpenSSL lets all threads use them.
package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Creates the settings.
  ///
  /// - Parameter roots: The accepted certificate authorities in PEM; nil for those of the system.
  package init(roots: String? = nil) throws(TLSError) {
    guard let made = hearth_tls_client_settings() else {
      throw TLSError(.invalidSettings, "OpenSSL cannot be used: \(OpenSSLReason.take())")
    }
    pointer = made
    guard let roots else {
      guard SSL_CTX_set_default_verify_paths(made) == 1 else {
        throw TLSError(.invalidSettings, "the system's certificates cannot be read: \(OpenSSLReason.take())")
      }
      return
    }
    let bytes = Array(roots.utf8)
    guard hearth_tls_add_authorities(made, bytes, bytes.count) > 0 else {
      throw TLSError(.invalidSettings, "the text is not one of PEM certificates")
    }
  }

  deinit { SSL_CTX_free(pointer) }

  /// Returns the channel handler of one connection.
  ///
  /// - Parameter host: The name or address that the server's certificate must have. Names are sent to the server (SNI).
  package func handler(host: String) throws(TLSError) -> any ChannelHandler {
    try TLSClientHandler(self, host: host)
  }
}

/// The text of OpenSSL's last failure on a thread.
enum OpenSSLReason {
  /// Returns the text, and removes it.
  static func take() -> String { hearth_tls_take_reason().map { String(cString: $0) } ?? "unknown reason" }
}
