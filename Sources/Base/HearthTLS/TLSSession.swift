import CTLS

/// The client's side of one TLS connection, as a machine over buffers: without a socket. Confined to one thread at a
/// time.
///
/// It keeps at most one incomplete record or handshake message of the peer; OpenSSL limits both.
final class TLSSession {
  /// The states, in order.
  enum State {
    case handshaking
    case open
    /// The peer has sent its end: it sends nothing more.
    case ended
    /// Unusable after a failure or ``close()``.
    case closed
  }

  private(set) var state = State.handshaking

  private let context: TLSContext
  private let host: String
  private let pointer: OpaquePointer
  /// The bytes from the peer, and those for it. OpenSSL owns both buffers.
  private let (input, output): (OpaquePointer, OpaquePointer)

  /// The largest number of bytes in one record.
  static let recordBytesMax = 16_384

  /// Creates the client's side of a connection.
  ///
  /// - Parameters:
  /// - host: The name or address that the server's certificate must have.
  /// - isAddress: True for an address, of which the server is not told.
  init(_ context: TLSContext, host: String, isAddress: Bool) throws(TLSError) {
    self.context = context
    // The dot at the end of a complete name is not a part of names in certificates.
    self.host = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard let made = SSL_new(context.pointer) else {
      throw TLSError(.invalidSettings, "OpenSSL cannot begin a connection: \(OpenSSLReason.take())")
    }
    var (input, output): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    guard hearth_tls_set_buffers(made, &input, &output) == 1, let input, let output else {
      SSL_free(made)
      throw TLSError(.invalidSettings, "OpenSSL cannot begin a connection: \(OpenSSLReason.take())")
    }
    // A C string would end at a zero byte, and the rest of the name would not be verified.
    guard !self.host.utf8.contains(0), hearth_tls_set_host(made, self.host, isAddress ? 1 : 0) == 1 else {
      SSL_free(made)
      ERR_clear_error()
      throw TLSError(.invalidSettings, "\"\(host)\" is no name or address that a certificate could have")
    }
    (pointer, self.input, self.output) = (made, input, output)
    SSL_set_connect_state(made)
  }

  deinit { SSL_free(pointer) }

  // MARK: Receiving

  /// Takes bytes of the peer, which ``advance(_:)`` then handles.
  func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    guard state == .handshaking || state == .open, !bytes.isEmpty else { return }
    var taken = 0
    guard BIO_write_ex(input, bytes.baseAddress, bytes.count, &taken) == 1, taken == bytes.count else {
      throw fail(.invalidRecord, "OpenSSL has no memory for received bytes")
    }
  }

  /// Goes on with the handshake, or begins it, and decrypts what is complete.
  ///
  /// - Parameter deliver: Called with decrypted bytes, of at most ``recordBytesMax`` each.
  func advance(_ deliver: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
    if state == .handshaking, try handshake() { state = .open }
    guard state == .open else { return }
    // Allocated here and not kept: connections are idle most of the time.
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.recordBytesMax, alignment: 1)
    defer { room.deallocate() }
    while state == .open {
      var count = 0
      ERR_clear_error()
      let result = SSL_read_ex(pointer, room.baseAddress, room.count, &count)
      if result == 1 {
        deliver(UnsafeRawBufferPointer(rebasing: room[..<count]))
        continue
      }
      switch SSL_get_error(pointer, result) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN: state = .ended
      default: throw fail(.invalidRecord, "TLS with \(host) failed: \(OpenSSLReason.take())")
      }
    }
  }

  /// Returns true when the handshake is complete.
  private func handshake() throws(TLSError) -> Bool {
    ERR_clear_error()
    let result = SSL_do_handshake(pointer)
    if result != 1, SSL_get_error(pointer, result) == SSL_ERROR_WANT_READ { return false }
    let verified = SSL_get_verify_result(pointer)
    guard verified == X509_V_OK else {
      let reason = String(cString: X509_verify_cert_error_string(verified))
      throw fail(.certificateRejected, "the certificate of \(host) is not accepted: \(reason)")
    }
    if result == 1 {
      guard hearth_tls_has_certificate(pointer) == 1 else {
        throw fail(.certificateRejected, "\(host) has shown no certificate")
      }
      return true
    }
    throw fail(.handshakeFailed, "the TLS handshake with \(host) failed: \(OpenSSLReason.take())")
  }

  /// The failure of a connection that ended before its TLS did; nil when it may end.
  func endOfConnection() -> TLSError? {
    switch state {
    case .ended, .closed: return nil
    case .handshaking: return fail(.truncated, "\(host) ended the connection during the TLS handshake")
    case .open: return fail(.truncated, "the connection to \(host) ended without the end of TLS")
    }
  }

  /// The failure of a peer that makes this side answer and does not read the answers.
  func refuse() -> TLSError { fail(.invalidRecord, "\(host) does not read the answers to its TLS messages") }

  private func fail(_ code: TLSError.Code, _ description: String) -> TLSError {
    state = .closed
    ERR_clear_error()
    return TLSError(code, description)
  }

  // MARK: Sending

  /// Encrypts bytes into the output. Only for an open connection, or one that only the peer has ended.
  func send(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
    guard !bytes.isEmpty else { return }
    var count = 0
    ERR_clear_error()
    let result = SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
    guard result == 1, count == bytes.count else {
      throw fail(.invalidRecord, "TLS with \(host) failed: \(OpenSSLReason.take())")
    }
  }

  /// Puts the end of TLS into the output. Nothing can be sent or received after it.
  func close() {
    guard state == .open || state == .ended else {
      state = .closed
      return
    }
    state = .closed
    ERR_clear_error()
    SSL_shutdown(pointer)
    ERR_clear_error()
  }

  /// The number of bytes in the output.
  var outputBytes: Int { hearth_tls_pending(output) }

  /// Moves bytes of the output into `room`; returns their number.
  func takeOutput(into room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    guard !room.isEmpty, BIO_read_ex(output, room.baseAddress, room.count, &count) == 1 else { return 0 }
    return count
  }
}
