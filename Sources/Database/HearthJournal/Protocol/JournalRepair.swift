/// The repair of one journal's files, which keeps servers from opening it.
package protocol JournalRepair: AnyObject {
  /// Examines the whole journal, and changes nothing. Content that the disk cannot read counts as damage.
  func examine() -> SalvageReport

  /// Saves the salvageable part, and replaces the damaged files by it, which are kept in another folder.
  ///
  /// - Parameters:
  ///   - report: The result of ``examine()``, not of a lost journal.
  ///   - folder: The target of the damaged files, on the same file system. It exists, and has no files of that name.
  /// - Throws: ``JournalError``; after a failure before the damaged files were moved nothing has changed.
  func replace(_ report: SalvageReport, keepingIn folder: String) throws(JournalError)
}
