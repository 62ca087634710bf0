import Synchronization

/// A reloader that puts a certificate and its key in force when their files change, as a renewal changes them. While
/// the files are invalid, the current certificate stays in force.
///
/// A timer of the caller calls ``check(nowSeconds:isRequested:)`` every few seconds. A version of the files counts when two
/// calls in a row have found it: files that are still being written, or of which only one has been replaced, change in
/// between.
package final class CertificateReloader: Sendable {
  /// A notice for the operator.
  package enum Notice: Sendable, Equatable {
    /// The certificate in the files is in force now.
    case replaced(CertificateValidity)
    /// The files are invalid, for this reason; the current certificate stays in force. Reported once for each version
    /// of the files.
    case refused(String)
    /// The certificate in force expires within ``expiryNoticeSeconds``, or has expired. Reported once a day.
    case ending(CertificateValidity)
  }

  /// The time before its expiry at which a certificate is reported. Renewals of certificates that live 90 days are due
  /// 30 days before: one that has only this left has not been renewed.
  package static let expiryNoticeSeconds: Int64 = 14 * 86_400
  private static let daySeconds: Int64 = 86_400

  /// The TLS settings of new connections.
  package let served: CurrentTLSContext
  /// The names of the certificate when it was first read.
  package let names: [String]
  private let files: TLSFiles
  /// The validity in a lock of its own, because the state's lock is held while files are read.
  private let servedValidity: Mutex<CertificateValidity>
  private let state: Mutex<State>

  private struct State {
    /// The versions of the files that are in force.
    var inForce: TLSFiles.Versions
    /// The versions of the files at the previous call.
    var seen: TLSFiles.Versions
    /// The versions of the invalid files that were reported; nil when there are none.
    var refused: TLSFiles.Versions?
    var expiryReportedAtSeconds: Int64?
  }

  /// Reads the files and puts them in force.
  package init(_ files: TLSFiles) throws(TLSFiles.Failure) {
    // Before the files are read: the next check sees changes during the read.
    let versions = files.versions
    let pair = try files.read()
    self.files = files
    served = CurrentTLSContext(pair.context)
    names = pair.names
    servedValidity = Mutex(pair.validity)
    state = Mutex(State(inForce: versions, seen: versions))
  }

  /// The validity of the certificate in force. Does not wait for files.
  package var validity: CertificateValidity { servedValidity.withLock { $0 } }

  /// Checks the files. Blocks while they are read: not for event loops.
  ///
  /// - Parameters:
  ///   - nowSeconds: seconds since 1970.
  ///   - isRequested: true when an operator asks for it: the files are then read, changed or not.
  package func check(nowSeconds: Int64, isRequested: Bool = false) -> [Notice] {
    state.withLock { state in
      let versions = files.versions
      let isSettled = versions == state.seen
      state.seen = versions
      if versions == state.inForce { state.refused = nil }
      let isNews = isSettled && versions != state.inForce && versions != state.refused
      var notices: [Notice] = []
      if isRequested || isNews, let notice = take(versions, nowSeconds: nowSeconds, isRequested: isRequested, &state) {
        notices.append(notice)
      }
      return notices + ending(nowSeconds, &state)
    }
  }

  private func take(
    _ versions: TLSFiles.Versions, nowSeconds: Int64, isRequested: Bool, _ state: inout State
  ) -> Notice? {
    let result = Result { () throws(TLSFiles.Failure) in try files.readAgain(versions) }
    let after = files.versions
    guard after == versions else {
      // The files changed during the read: the next checks handle them.
      state.seen = after
      return isRequested ? .refused("the files are being written; they are read again in a second") : nil
    }
    switch result {
    case .success(let pair)
    where pair.validity.notAfterSeconds < nowSeconds && validity.notAfterSeconds >= nowSeconds:
      state.refused = versions
      return .refused("the new certificate has expired, and the one in use has not")
    case .success(let pair):
      served.replace(with: pair.context)
      servedValidity.withLock { $0 = pair.validity }
      (state.inForce, state.refused) = (versions, nil)
      state.expiryReportedAtSeconds = nil
      return .replaced(pair.validity)
    case .failure(let failure):
      state.refused = versions
      return .refused(failure.description)
    }
  }

  private func ending(_ nowSeconds: Int64, _ state: inout State) -> [Notice] {
    let validity = validity
    guard validity.notAfterSeconds - nowSeconds < Self.expiryNoticeSeconds else { return [] }
    // Reported again after a day, also when the clock was set back.
    if let reportedAt = state.expiryReportedAtSeconds, (reportedAt..<reportedAt + Self.daySeconds).contains(nowSeconds)
    {
      return []
    }
    state.expiryReportedAtSeconds = nowSeconds
    return [.ending(validity)]
  }
}
