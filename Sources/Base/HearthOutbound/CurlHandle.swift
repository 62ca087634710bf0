import CCurl

/// One libcurl transfer: a handle, its options, and the data that the callbacks collect. Used by one thread at a time.
struct CurlHandle: ~Copyable {
  private let handle: UnsafeMutableRawPointer  // because a libcurl handle is an opaque pointer; freed in `deinit`
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  /// The first option that libcurl refused.
  private var failure = CURLE_OK

  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Creates a handle; nil when libcurl cannot be initialised.
  init?() {
    guard Self.isReady, let handle = curl_easy_init() else { return nil }
    self.handle = handle
  }

  deinit {
    curl_easy_cleanup(handle)
    for list in lists { curl_slist_free_all(list) }
  }

  mutating func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(handle, option, value)) }
  mutating func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }
  mutating func set(_ option: CURLoption, _ value: String) { note(ccurl_set_text(handle, option, value)) }
  mutating func set(size option: CURLoption, _ value: Int) {
    note(ccurl_set_size(handle, option, curl_off_t(value)))
  }
  mutating func set(pointer option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    note(ccurl_set_pointer(handle, option, value))
  }
  mutating func set(sink option: CURLoption, _ sink: @escaping ccurl_sink) {
    note(ccurl_set_sink(handle, option, sink))
  }
  mutating func set(source: @escaping ccurl_source) { note(ccurl_set_source(handle, source)) }
  mutating func set(progress: @escaping ccurl_progress) { note(ccurl_set_progress(handle, progress)) }
  mutating func set(guard value: UnsafeMutablePointer<ccurl_guard>) { note(ccurl_set_guard(handle, value)) }

  /// Sets an option to a list of strings. libcurl copies each string; the list is freed with the handle.
  mutating func set(_ option: CURLoption, _ texts: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for text in texts {
      guard let longer = curl_slist_append(list, text) else {
        curl_slist_free_all(list)
        return note(CURLE_OUT_OF_MEMORY)
      }
      list = longer
    }
    guard let list else { return }
    lists.append(list)
    set(pointer: option, list)
  }

  private mutating func note(_ code: CURLcode) { if failure == CURLE_OK { failure = code } }

  /// Performs the transfer, blocking this thread.
  func perform() -> CURLcode { failure == CURLE_OK ? curl_easy_perform(handle) : failure }

  /// Resets the options and keeps the connections.
  mutating func reset() {
    curl_easy_reset(handle)
    for list in lists { curl_slist_free_all(list) }
    (lists, failure) = ([], CURLE_OK)
  }

  /// True when the last transfer established a connection.
  var wasConnected: Bool { ccurl_was_connected(handle) }

  /// The last status code, of HTTP or SMTP; 0 when none came.
  var responseCode: Int { ccurl_response_code(handle) }
}
