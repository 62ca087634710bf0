import CCurl
import HearthBytes
import Synchronization

/// The state that the callbacks of one transfer read and write. Other threads use only ``cancel()``, ``stopReason`` and
/// ``millisecondsLeft``.
final class Transfer: @unchecked Sendable {  // because what changes, but for the atomic, is the performing thread's own
  private let isCancelled = Atomic(false)
  private let deadline: ContinuousClock.Instant
  private let policy: OutboundPolicy
  private let host: String
  private let isPlain: Bool
  private let sizeBytesMax: Int
  private let truncatesBody: Bool
  private let connectTimeoutSeconds: Int?
  private let upload: [UInt8]
  private var uploaded = 0

  private(set) var received: [UInt8] = []
  private(set) var headerLines: [[UInt8]] = []
  private var headersSizeBytes = 0
  /// True when at least a part of the request was sent.
  private(set) var wasSent = false
  private(set) var isTooLarge = false
  private(set) var wasForbidden = false

  /// - Parameters:
  /// - host: The URL's host, in lower case.
  /// - upload: The bytes that libcurl's read callback returns.
  init(
    policy: OutboundPolicy, host: String, isPlain: Bool, timeout: Duration, sizeBytesMax: Int,
    truncatesBody: Bool = false, connectTimeoutSeconds: Int? = nil, upload: [UInt8] = []
  ) {
    self.truncatesBody = truncatesBody
    self.connectTimeoutSeconds = connectTimeoutSeconds
    self.policy = policy
    self.host = host
    self.isPlain = isPlain
    self.sizeBytesMax = sizeBytesMax
    self.upload = upload
    deadline = .now + min(max(timeout, .zero), .seconds(OutboundLimits.timeoutSecondsMax))
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// The milliseconds until the deadline, at least 1; nil when the transfer is cancelled or its time is over.
  var millisecondsLeft: Int? {
    let left = deadline - .now
    guard left > .zero, !isCancelled.load(ordering: .relaxed) else { return nil }
    let (seconds, attoseconds) = left.components
    return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  /// Sets the options that all transfers share, lets `configure` add its own, performs it, and passes the result code
  /// and the protocol's last status to `finish`.
  ///
  /// - Parameter handlePool: The pool of handles of the same policy; nil to use a new handle.
  func perform<Success>(
    from handlePool: CurlHandlePool? = nil,
    _ configure: (inout CurlHandle) -> Void,
    finish: (_ code: CURLcode, _ status: Int) -> Result<Success, OutboundError>
  ) -> Result<Success, OutboundError> {
    guard let timeout = millisecondsLeft else { return .failure(stopReason) }
    let this = Unmanaged.passUnretained(self).toOpaque()  // because `self` outlives this call, and so the handle
    return withUnsafeTemporaryAllocation(of: ccurl_guard.self, capacity: 1) { guards in
      guards.initializeElement(at: 0, to: ccurl_guard(admits: admitsAddress, data: this))
      guard let first = guards.baseAddress, var handle = handlePool?.take() ?? CurlHandle() else {
        return .failure(OutboundError(.unreachable, "libcurl cannot be set up"))
      }
      handle.set(CURLOPT_NOSIGNAL, true)
      // A name server that does not answer must not block the thread beyond the deadline.
      handle.set(CURLOPT_QUICK_EXIT, true)
      handle.set(CURLOPT_TIMEOUT_MS, timeout)
      handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(timeout, connectTimeoutSeconds.map { max(1, $0) * 1_000 } ?? timeout))
      // A proxy would resolve the name itself, so that the address could not be checked.
      handle.set(CURLOPT_PROXY, "")
      handle.set(CURLOPT_FOLLOWLOCATION, false)
      handle.set(CURLOPT_SSL_VERIFYPEER, true)
      handle.set(CURLOPT_SSL_VERIFYHOST, 2)
      handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
      if let file = policy.authorityFile(for: host) {
        handle.set(CURLOPT_CAINFO, file)
        handle.set(CURLOPT_CAPATH, "/dev/null")
      }
      handle.set(guard: first)
      handle.set(sink: CURLOPT_WRITEFUNCTION, receiveBody)
      handle.set(pointer: CURLOPT_WRITEDATA, this)
      handle.set(sink: CURLOPT_HEADERFUNCTION, receiveHeader)
      handle.set(pointer: CURLOPT_HEADERDATA, this)
      handle.set(source: sendUpload)
      handle.set(pointer: CURLOPT_READDATA, this)
      handle.set(progress: checkProgress)
      handle.set(pointer: CURLOPT_XFERINFODATA, this)
      configure(&handle)
      let code = handle.perform()
      wasSent = handle.wasConnected
      let result = finish(code, handle.responseCode)
      if let handlePool { handlePool.put(handle) }
      return result
    }
  }

  /// Returns the error for a transfer that ended with a code other than OK.
  func error(_ code: CURLcode) -> OutboundError {
    var error = cause(of: code)
    (error.wasSent, error.wasAnswered) = (wasSent, !headerLines.isEmpty)
    return error
  }

  private func cause(of code: CURLcode) -> OutboundError {
    if wasForbidden {
      return OutboundError(.forbiddenAddress, "\(host) has an address that the outbound policy forbids")
    }
    if isTooLarge { return OutboundError(.tooLarge, "\(host) sent a response that is too long") }
    switch code {
    case CURLE_ABORTED_BY_CALLBACK: return stopReason
    case CURLE_OPERATION_TIMEDOUT: return OutboundError(.timedOut, "\(host) did not answer in time")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
      CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
      return OutboundError(.untrusted, "no trusted TLS connection to \(host)")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_PARTIAL_FILE,
      CURLE_BAD_CONTENT_ENCODING:
      return OutboundError(.malformedResponse, "\(host) sent an unexpected response")
    case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
      return OutboundError(.invalidRequest, "libcurl refused the request")
    default: return OutboundError(.unreachable, "\(host) cannot be reached (libcurl \(code.rawValue))")
    }
  }

  /// The error for a transfer that was cancelled or has exceeded its deadline.
  var stopReason: OutboundError {
    isCancelled.load(ordering: .relaxed)
      ? OutboundError(.cancelled, "the request was cancelled")
      : OutboundError(.timedOut, "\(host) did not answer in time")
  }
}

// MARK: - Callbacks

extension Transfer {
  fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= sizeBytesMax - received.count else {
      if truncatesBody {
        received.append(contentsOf: bytes.prefix(sizeBytesMax - received.count))
        return true
      }
      isTooLarge = true
      return false
    }
    received.append(contentsOf: bytes)
    return true
  }

  fileprivate func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
    headersSizeBytes += bytes.count
    guard headersSizeBytes <= OutboundLimits.headersSizeBytesMax else {
      isTooLarge = true
      return false
    }
    headerLines.append(Array(bytes))
    return true
  }

  fileprivate func copyUpload(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, upload.count - uploaded)
    buffer.copyBytes(from: upload[uploaded..<uploaded + count])
    uploaded += count
    return count
  }

  fileprivate func admits(_ bytes: [UInt8]) -> Bool {
    guard let address = IPAddress(bytes: bytes), policy.admits(address, host: host, isPlain: isPlain) else {
      wasForbidden = true
      return false
    }
    return true
  }

  fileprivate var isStopped: Bool { isCancelled.load(ordering: .relaxed) }
}

/// Returns the transfer for a callback's data pointer.
private func transfer(_ data: UnsafeMutableRawPointer?) -> Transfer? {
  data.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }  // because `perform` passed itself
}

private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(data)?.receive(body: buffer) == true ? buffer.count : 0
}

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(data)?.receive(header: buffer) == true ? buffer.count : 0
}

private func sendUpload(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ data: UnsafeMutableRawPointer?
) -> Int {
  transfer(data)?.copyUpload(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

private func checkProgress(
  _ data: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  transfer(data)?.isStopped == false ? 0 : 1
}

private func admitsAddress(
  _ data: UnsafeMutableRawPointer?, _ family: Int32, _ address: UnsafePointer<UInt8>
) -> Bool {
  let count = family == 4 ? 4 : family == 6 ? 16 : 0
  return transfer(data)?.admits(Array(UnsafeBufferPointer(start: address, count: count))) ?? false
}
