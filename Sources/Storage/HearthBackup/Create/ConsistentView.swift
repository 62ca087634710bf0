import HearthEngine
import HearthJournal

/// A consistent view of all journals of a data folder at one instant, without stopping their writers.
///
/// The steps:
///
/// 1. Read the end E of each journal.
/// 2. Read the clock: T, the instant of the view.
/// 3. Open a view of each journal.
/// 4. Read the clock again: U.
/// 5. Cut each view: keep the batches up to E, and those after E until the first one that contains a commit decided
///    after T and until U. (Times after U come from a clock that was set back since, and are ignored.)
///
/// A commit that was acknowledged before T is in its view, because it was durable before the view was opened. The first
/// batch after the cut became durable after T, so none of its commits was acknowledged at T, and everything that it
/// caused, in any database, is later as well. The rest thus contains every commit acknowledged before T, none decided
/// after T, and no effect without its cause. Writers never wait.
final class ConsistentView {
  /// A journal at the time of the view.
  struct Part {
    var name: String
    var view: any JournalView
    /// The position at which the view is cut: the end of the log, or of the last batch before the cut.
    var head: JournalHead
  }

  /// The instant T.
  let instantMilliseconds: Int64
  /// The journals in the order of their names.
  let parts: [Part]

  /// - Returns: nil when the attempt failed and must be repeated, for example because a snapshot was completed
  ///   meanwhile.
  /// - Throws: `JournalError`, `RecordError`.
  init?(_ source: BackupSource) throws {
    let places = try source.journals().sorted { $0.name < $1.name }
    var ends: [String: JournalHead] = [:]
    for place in places {
      let view = try place.archive.view(place.journal)
      ends[place.name] = view.head
      view.close()
    }
    let instant = source.clock()
    var views: [any JournalView] = []
    var isKept = false
    defer { if !isKept { for view in views { view.close() } } }
    for place in places { views.append(try place.archive.view(place.journal)) }
    let after = source.clock()
    // A journal that was created since has no commit acknowledged before T; a deleted one makes this attempt fail.
    guard Set(try source.journals().map(\.name)).isSuperset(of: places.map(\.name)), after >= instant else {
      return nil
    }
    var parts: [Part] = []
    for (place, view) in zip(places, views) {
      guard let end = ends[place.name], view.snapshot?.position ?? 0 <= max(end.position, view.head.position),
        view.head.position >= end.position
      else { return nil }
      let head = try Self.cut(view, after: end, instant, after)
      guard view.snapshot?.position ?? 0 <= head.position else { return nil }
      parts.append(Part(name: place.name, view: view, head: head))
    }
    instantMilliseconds = instant
    self.parts = parts
    isKept = true
  }

  private static func cut(
    _ view: any JournalView, after end: JournalHead, _ instant: Int64, _ after: Int64
  ) throws -> JournalHead {
    var head = end
    // The owner may have changed although the log has not.
    head.epoch = view.head.epoch
    var isFirst = true
    try view.forEachLink(after: end.position) { link in
      // The log right after `end` is missing, because a snapshot has replaced it. The view is cut at `end`; the caller
      // then finds the snapshot beyond the cut, and tries again.
      if isFirst, link.batch.firstPosition != end.position + 1 { return false }
      isFirst = false
      let marks = try CommitRecord.marks(of: link.batch.payload)
      if marks.compactMap(\.wallMilliseconds).contains(where: { $0 > instant && $0 <= after }) { return false }
      head.position = link.batch.lastPosition
      head.runningHash = link.runningHash
      return true
    }
    return head
  }

  func close() { for part in parts { part.view.close() } }
}
