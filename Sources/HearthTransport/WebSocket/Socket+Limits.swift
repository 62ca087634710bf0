import HearthWire
import NIOCore

extension Socket {
  /// A client that takes no large frames takes no more segments than four digits can count.
  package var messageBytesMax: Int { isFragile ? WireLimits.standard.segmentedBytesMax : .max }

  package func setReading(_ isReading: Bool) {
    try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
  }
}
