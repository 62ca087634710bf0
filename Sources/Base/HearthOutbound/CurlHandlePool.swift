import Synchronization

/// A pool of idle handles of one policy, with the connections that they keep open.
final class CurlHandlePool: Sendable {
  /// An idle handle.
  private final class IdleHandle: @unchecked Sendable {  // because only the transfer that took it uses it
    private var handle: CurlHandle?

    init(_ handle: consuming CurlHandle) { self.handle = consume handle }

    func take() -> CurlHandle? { handle.take() }
  }

  private let idle = Mutex<[IdleHandle]>([])

  /// The maximum number of idle handles: as many as transfers run at a time.
  static let idleMax = 64

  /// Removes and returns the handle that was used last, whose connection is most likely to be open; nil when none is
  /// idle.
  func take() -> CurlHandle? { idle.withLock { $0.popLast() }?.take() }

  func put(_ handle: consuming CurlHandle) {
    handle.reset()
    let idleHandle = IdleHandle(handle)
    idle.withLock { if $0.count < Self.idleMax { $0.append(idleHandle) } }
  }
}
