import COpenSSL

/// Bytes that are overwritten when they are released: passwords and values derived from them.
struct WipedBytes: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  /// Creates the UTF-8 bytes of a string.
  init(_ text: String) {
    self.init(count: text.utf8.count)
    _ = buffer.update(from: text.utf8)
  }

  init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count)
    _ = buffer.update(from: bytes)
  }

  /// Creates the concatenation of two byte strings.
  init(joining first: some Collection<UInt8>, _ second: some Collection<UInt8>) {
    self.init(count: first.count + second.count)
    _ = buffer.update(from: first)
    _ = buffer[first.count...].update(from: second)
  }

  /// Creates the given number of zero bytes.
  init(count: Int) {
    // Allocates one byte more, so that an empty value has an address too.
    buffer = .allocate(capacity: count + 1)
    buffer.initialize(repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    buffer.deallocate()
  }

  var count: Int { buffer.count - 1 }

  /// Calls `body` with the bytes, whose pointer is never nil. The pointer must not be used after the call: the value
  /// may be destroyed after its last use, before the end of its scope.
  borrowing func withBytes<R: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
  }
}
