import HearthAccounts
import HearthOutbound
import HearthTree

/// A client of captcha services over libcurl, on threads of its own.
struct OutboundCaptchaService: CaptchaService {
  /// The pool of threads, one for each concurrent request, as each waits for the service.
  private static let pool = OutboundPool(slots: 4)
  /// The maximum size of a response, which has some hundred bytes.
  private static let answerBytesMax = 16 << 10

  func ask(_ url: String, form: [(name: String, value: String)]) async -> [UInt8]? {
    let body = form.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
    let request = OutboundRequest(
      method: .post, url: url, headers: [OutboundHeader("Content-Type", "application/x-www-form-urlencoded")],
      body: Array(body.joined(separator: "&").utf8), responseSizeBytesMax: Self.answerBytesMax)
    do throws(OutboundError) {
      // Redirects are not followed, so only this URL's host is called.
      let answer = try await OutboundClient(policy: .trustingHost(of: url), pool: Self.pool).send(request)
      // A refused token gets 200 from some services and 400 from others.
      return answer.status < 500 ? answer.body : nil
    } catch {
      return nil
    }
  }
}
