import Glibc
import NIOCore

/// The reason that a port could not be opened, in words for the operator.
struct BindProblem: CustomStringConvertible {
  let description: String

  /// - Parameter error: The error of the event loop.
  init(_ error: any Error) {
    guard let code = (error as? IOError)?.errnoCode else {
      description = "\(error)"
      return
    }
    description =
      switch code {
      case EADDRINUSE: "another program uses the port; stop it, or choose another port (0 is any free one)"
      case EADDRNOTAVAIL: "this machine does not have the address"
      case EACCES: "this user may not open a port below 1024"
      default: String(cString: strerror(code))
      }
  }
}
