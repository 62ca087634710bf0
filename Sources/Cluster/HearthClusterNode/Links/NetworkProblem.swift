import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// An error of a connection in words for the operator. The words of one cause do not vary, so that the log can tell a
/// new cause from a repeated one.
struct NetworkProblem: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    switch error {
    case let error as NIOConnectionError:
      if let cause = error.connectionErrors.last?.error {
        self = NetworkProblem(cause)
      } else {
        description = "the name \(error.host) cannot be resolved"
      }
    case let error as IOError: description = String(cString: strerror(error.errnoCode))
    case ChannelError.connectTimeout: description = "no answer in time"
    case is NIOSSLError: description = "the TLS handshake failed; both certificates must be of one hearth cluster init"
    default: description = "the connection failed"
    }
  }
}
