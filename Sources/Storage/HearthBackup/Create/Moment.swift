import HearthEngine
import HearthJournal

/// All journals of a data folder as they were at one instant, without stopping whoever writes them.
///
/// How: it looks at each journal's end; then it reads the clock, T; then it opens a view of each; then it reads the clock
/// again, U. A commit that somebody was told of before T is in its view, since it was durable before the view was opened.
/// Each view is cut before the first batch, behind the end that was seen at first, that holds a commit decided after T
/// (and until U: times beyond are of a clock that was set back since, and say nothing). Such a batch became durable after T,
/// so nobody knew of any of its commits at T; and whatever was done because of it is later too, in whichever database. So
/// what remains has every commit that was acknowledged before T, none that was decided after T, and nothing whose cause is
/// missing. Writers wait for nothing.
final class Moment {
  /// A journal of the moment.
  struct Part {
    var name: String
    var view: any JournalView
    /// The end, or an earlier batch's.
    var head: JournalHead
  }

  /// T.
  let instantMilliseconds: Int64
  /// In order of name.
  let parts: [Part]

  /// - Returns: nil when it did not come off, as when a snapshot was completed meanwhile: to be tried again.
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
    // One that was made since has nothing that was known at T; one that is gone is for the next try.
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
    // Also for a log that has not moved: its owner may be another one by now.
    head.epoch = view.head.epoch
    var isFirst = true
    try view.forEachLink(after: end.position) { link in
      // The log before it was replaced by a snapshot: where the end was is no end of a batch that is there.
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
