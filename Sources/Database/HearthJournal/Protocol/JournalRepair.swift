/// The repair of one journal's files, which keeps servers from opening it.
package protocol JournalRepair: AnyObject {
  /// Examines the whole journal, and changes nothing. Content that the disk fails to read counts as damage.
  func examine() -> SalvageReport

  /// Writes new files with the salvageable part, and moves the damaged files to another folder.
  ///
  /// - Parameters:
  /// - report: The result of ``examine()``, with ``SalvageReport/isLost`` false.
  /// - folder: The existing folder for the damaged files, on the same file system. It has no files with their names.
  /// - Throws: ``JournalError``; when it fails before the damaged files were moved, nothing has changed.
  func replace(_ report: SalvageReport, keepingIn folder: String) throws(JournalError)
}
