/// SHA-1 (FIPS 180-4), for content identity only.
///
/// The clients' protocol compares the data of both sides with it, and a server confirms the opening handshake of
/// WebSockets with it. It is not used for security; `HearthCrypto` is.
public struct SHA1 {
  /// The twenty bytes of a digest.
  public struct Digest: Equatable, Sendable {
    /// The bytes as five big-endian words.
    @usableFromInline var words: (UInt32, UInt32, UInt32, UInt32, UInt32)

    @inlinable
    public static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

    /// Calls `body` with the twenty bytes, which are valid only during the call.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      let (a, b, c, d, e) = words
      let bigEndian = (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian, e.bigEndian)
      return Swift.withUnsafeBytes(of: bigEndian, body)
    }

    /// The digest as a string: 28 characters of Base64.
    public var base64: String { withUnsafeBytes { Base64.encode($0) } }
  }

  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
  )
  /// Bytes that do not fill a block yet, from the start of `block`.
  private var block: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  private var size: UInt64 = 0

  static let blockSizeBytes = 64

  /// Creates the hasher of an empty message.
  public init() {}

  /// Adds the next bytes of the message, which may be divided into calls in any way.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0, let base = bytes.baseAddress else { return }
    var start = 0
    let filled = Int(size % UInt64(Self.blockSizeBytes))
    size &+= UInt64(bytes.count)
    if filled > 0 {
      start = min(Self.blockSizeBytes - filled, bytes.count)
      put(base, start, at: filled)
      guard filled + start == Self.blockSizeBytes else { return }
      let block = block
      withUnsafeBytes(of: block) { compress($0) }
    }
    let whole = (bytes.count - start) & -Self.blockSizeBytes
    if whole > 0 { compress(UnsafeRawBufferPointer(start: base + start, count: whole)) }
    start += whole
    if start < bytes.count { put(base + start, bytes.count - start, at: 0) }
  }

  /// Adds the UTF-8 of a literal.
  public mutating func update(_ text: StaticString) {
    update(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Returns the digest of a string's UTF-8, in Base64 (RFC 4648, section 4).
  public static func base64Digest(of text: String) -> String {
    var hasher = SHA1()
    var text = text
    text.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
    return hasher.finish().base64
  }

  /// Returns the digest of all added bytes. The hasher must not be used afterwards.
  public mutating func finish() -> Digest {
    let bits = (size &* 8).bigEndian
    let filled = Int(size % UInt64(Self.blockSizeBytes))
    let padding = (filled < 56 ? 56 : 120) - filled
    withUnsafeTemporaryAllocation(byteCount: padding + 8, alignment: 8) { tail in
      tail.initializeMemory(as: UInt8.self, repeating: 0)
      tail[0] = 0x80
      tail.storeBytes(of: bits, toByteOffset: padding, as: UInt64.self)
      update(UnsafeRawBufferPointer(tail))
    }
    return Digest(words: state)
  }

  private mutating func put(_ bytes: UnsafeRawPointer, _ count: Int, at offset: Int) {
    withUnsafeMutableBytes(of: &block) { block in
      // The callers fill at most one block.
      block.baseAddress!.advanced(by: offset).copyMemory(from: bytes, byteCount: count)
    }
  }

  /// Adds whole blocks to the state.
  private mutating func compress(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
      var start = 0
      while start < bytes.count {
        for i in 0..<16 {
          words[i] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4 &* i, as: UInt32.self))
        }
        var i = 16
        while i < 80 {
          let word = words[i &- 3] ^ words[i &- 8] ^ words[i &- 14] ^ words[i &- 16]
          words[i] = word << 1 | word >> 31
          i &+= 1
        }
        mix(words)
        start &+= Self.blockSizeBytes
      }
    }
  }

  private mutating func mix(_ words: UnsafeMutableBufferPointer<UInt32>) {
    var (a, b, c, d, e) = state
    var i = 0
    while i < 20 { Self.rounds(&a, &b, &c, &d, &e, words, &i, 0x5A82_7999) { $2 ^ ($0 & ($1 ^ $2)) } }
    while i < 40 { Self.rounds(&a, &b, &c, &d, &e, words, &i, 0x6ED9_EBA1) { $0 ^ $1 ^ $2 } }
    while i < 60 { Self.rounds(&a, &b, &c, &d, &e, words, &i, 0x8F1B_BCDC) { ($0 & $1) | ($2 & ($0 | $1)) } }
    while i < 80 { Self.rounds(&a, &b, &c, &d, &e, words, &i, 0xCA62_C1D6) { $0 ^ $1 ^ $2 } }
    state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
  }

  private typealias Mixer = (UInt32, UInt32, UInt32) -> UInt32

  /// Performs five rounds. The words are permuted by passing them in another order, which avoids moving them.
  @inline(__always)
  private static func rounds(
    _ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32, _ d: inout UInt32, _ e: inout UInt32,
    _ words: UnsafeMutableBufferPointer<UInt32>, _ i: inout Int, _ constant: UInt32, _ mixer: Mixer
  ) {
    round(a, &b, &e, mixer(b, c, d) &+ constant &+ words[i])
    round(e, &a, &d, mixer(a, b, c) &+ constant &+ words[i &+ 1])
    round(d, &e, &c, mixer(e, a, b) &+ constant &+ words[i &+ 2])
    round(c, &d, &b, mixer(d, e, a) &+ constant &+ words[i &+ 3])
    round(b, &c, &a, mixer(c, d, e) &+ constant &+ words[i &+ 4])
    i &+= 5
  }

  @inline(__always)
  private static func round(_ a: UInt32, _ b: inout UInt32, _ e: inout UInt32, _ mixed: UInt32) {
    e = e &+ (a << 5 | a >> 27) &+ mixed
    b = b << 30 | b >> 2
  }
}
