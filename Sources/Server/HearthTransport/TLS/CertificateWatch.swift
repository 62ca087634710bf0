import Synchronization

/// Puts a certificate and its key in force when their files change, as a renewal changes them. Files that cannot be used
/// leave in force what is.
///
/// Somebody else keeps the time and calls ``look(nowSeconds:isAsked:)`` every few seconds. A version of the files counts
/// when two looks in a row have found it: one that is being written, or of which one file has come and the other has not,
/// changes in between.
package final class CertificateWatch: Sendable {
  /// What an operator should hear of.
  package enum Notice: Sendable, Equatable {
    /// What the files hold is in force.
    case replaced(CertificateValidity)
    /// What the files hold cannot be used, with the reason; what was in force stays. Said once of each version of the
    /// files.
    case refused(String)
    /// The certificate in force ends within ``endingSeconds``, or has ended. Said once a day.
    case ending(CertificateValidity)
  }

  /// How long before its end a certificate is spoken of. Renewals of certificates that live 90 days are due 30 days
  /// before: one that is left with this has not been renewed.
  package static let endingSeconds: Int64 = 14 * 86_400
  private static let daySeconds: Int64 = 86_400

  /// What connections get.
  package let served: ServedContext
  /// The names that the certificate was for when it was first read.
  package let names: [String]
  private let files: TLSFiles
  /// Beside the state, which is held while files are read.
  private let servedValidity: Mutex<CertificateValidity>
  private let state: Mutex<State>

  private struct State {
    /// What is in force was read from these.
    var inForce: TLSFiles.Versions
    /// What the last look found.
    var seen: TLSFiles.Versions
    /// Of what cannot be used the operator has been told.
    var refused: TLSFiles.Versions?
    var saidEndingAtSeconds: Int64?
  }

  /// Reads the files and puts them in force.
  package init(_ files: TLSFiles) throws(TLSFiles.Failure) {
    // Asked before the files are read: what changes meanwhile is seen by the next look.
    let versions = files.versions
    let pair = try files.read()
    self.files = files
    served = ServedContext(pair.context)
    names = pair.names
    servedValidity = Mutex(pair.validity)
    state = Mutex(State(inForce: versions, seen: versions))
  }

  /// The time when the certificate in force counts. Does not wait for files.
  package var validity: CertificateValidity { servedValidity.withLock { $0 } }

  /// Looks at the files. Blocks while they are read: not for event loops.
  ///
  /// - Parameters:
  ///   - nowSeconds: seconds since 1970.
  ///   - isAsked: an operator asks for it: the files are read as they are, changed or not.
  package func look(nowSeconds: Int64, isAsked: Bool = false) -> [Notice] {
    state.withLock { state in
      let versions = files.versions
      let isSettled = versions == state.seen
      state.seen = versions
      if versions == state.inForce { state.refused = nil }
      let isNews = isSettled && versions != state.inForce && versions != state.refused
      var notices: [Notice] = []
      if isAsked || isNews, let notice = take(versions, nowSeconds: nowSeconds, isAsked: isAsked, &state) {
        notices.append(notice)
      }
      return notices + ending(nowSeconds, &state)
    }
  }

  private func take(
    _ versions: TLSFiles.Versions, nowSeconds: Int64, isAsked: Bool, _ state: inout State
  ) -> Notice? {
    let result = Result { () throws(TLSFiles.Failure) in try files.readAgain(versions) }
    let after = files.versions
    guard after == versions else {
      // The next looks find what becomes of it.
      state.seen = after
      return isAsked ? .refused("the files are being written; they are looked at again in a moment") : nil
    }
    switch result {
    case .success(let pair)
    where pair.validity.notAfterSeconds < nowSeconds && validity.notAfterSeconds >= nowSeconds:
      state.refused = versions
      return .refused("the certificate has ended, and the one in force has not")
    case .success(let pair):
      served.replace(with: pair.context)
      servedValidity.withLock { $0 = pair.validity }
      (state.inForce, state.refused) = (versions, nil)
      state.saidEndingAtSeconds = nil
      return .replaced(pair.validity)
    case .failure(let failure):
      state.refused = versions
      return .refused(failure.description)
    }
  }

  private func ending(_ nowSeconds: Int64, _ state: inout State) -> [Notice] {
    let validity = validity
    guard validity.notAfterSeconds - nowSeconds < Self.endingSeconds else { return [] }
    // Said again after a day, also when the clock was set back.
    if let said = state.saidEndingAtSeconds, (said..<said + Self.daySeconds).contains(nowSeconds) { return [] }
    state.saidEndingAtSeconds = nowSeconds
    return [.ending(validity)]
  }
}
