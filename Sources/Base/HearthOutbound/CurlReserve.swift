import Synchronization

/// Handles of one policy between transfers, with the connections that they keep open.
final class CurlReserve: Sendable {
  /// A handle that no transfer uses.
  private final class Kept: @unchecked Sendable {  // because only the transfer that took it out of the list uses it
    private var handle: CurlHandle?

    init(_ handle: consuming CurlHandle) { self.handle = consume handle }

    func take() -> CurlHandle? { handle.take() }
  }

  private let idle = Mutex<[Kept]>([])

  /// The maximum number of idle handles: as many as transfers run at a time.
  static let keptMax = 64

  /// The handle that was used last, whose connection is most likely to be open; nil when none is idle.
  func take() -> CurlHandle? { idle.withLock { $0.popLast() }?.take() }

  func put(_ handle: consuming CurlHandle) {
    handle.reset()
    let kept = Kept(handle)
    idle.withLock { if $0.count < Self.keptMax { $0.append(kept) } }
  }
}
