// Declarations of Apple's framework Network, as far as the client library uses it:
// https://developer.apple.com/documentation/network/nwpathmonitor
// They have no content: they exist to check names and types on Linux.
import Dispatch

public final class NWPathMonitor: Sendable {
  public init() {}

  public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
    get { fatalError() }
    set { fatalError() }
  }

  public func start(queue: DispatchQueue) { fatalError() }

  public func cancel() { fatalError() }
}

// https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Sendable {
  // https://developer.apple.com/documentation/network/nwpath/status-swift.enum
  public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }

  public let status: Status
}
