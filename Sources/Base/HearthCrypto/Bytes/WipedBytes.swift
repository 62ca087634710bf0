import COpenSSL

/// Bytes that are overwritten when they are released: passwords and values derived from them.
struct WipedBytes: ~Copyable {
  private let buffer: UnsafeMutableBufferPointer<UInt8>

  /// The UTF-8 of a text.
  init(_ text: String) {
    self.init(count: text.utf8.count)
    _ = buffer.update(from: text.utf8)
  }

  init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count)
    _ = buffer.update(from: bytes)
  }

  /// Two byte strings, joined.
  init(joining first: some Collection<UInt8>, _ second: some Collection<UInt8>) {
    self.init(count: first.count + second.count)
    _ = buffer.update(from: first)
    _ = buffer[first.count...].update(from: second)
  }

  /// The given number of zero bytes.
  init(count: Int) {
    // One byte more, so that an empty one has an address too.
    buffer = .allocate(capacity: count + 1)
    buffer.initialize(repeating: 0)
  }

  deinit {
    OPENSSL_cleanse(buffer.baseAddress, buffer.count)
    buffer.deallocate()
  }

  var count: Int { buffer.count - 1 }

  /// Lends the bytes; they have an address also when there are none. The pointer must not be kept: the value may end
  /// with its last use, before the end of its scope.
  borrowing func withBytes<R: ~Copyable>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    body(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
  }
}
