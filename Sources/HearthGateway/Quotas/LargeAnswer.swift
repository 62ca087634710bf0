/// What is weighed before it is sent.
enum LargeAnswer {
  /// Bytes of JSON from which on an answer is made away from the event loop.
  static let bytesMin = 256 << 10
}
