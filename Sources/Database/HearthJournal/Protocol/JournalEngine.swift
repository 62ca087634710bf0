/// The registration of an engine whose journals are on a database server: the URLs that select it, and how its store is
/// opened.
package struct JournalEngine: Sendable {
  /// The name of the product, for messages.
  package let product: String
  /// The prefix of the codes of `hearth doctor` findings about the engine. Codes are never renamed.
  package let code: String
  /// The schemes of the URLs that select the engine, the usual one first.
  package let schemes: [String]
  /// The advice on warnings about its set-up.
  package let setUpAdvice: String
  /// Checks a URL without connecting. The error's message has no part of a password.
  package let validate: @Sendable (_ url: String) throws(JournalError) -> Void
  /// Opens the store at a URL.
  package let open: @Sendable (_ url: String) throws(JournalError) -> any JournalStore

  /// Creates a registration.
  package init(
    product: String, code: String, schemes: [String], setUpAdvice: String,
    validate: @escaping @Sendable (_ url: String) throws(JournalError) -> Void,
    open: @escaping @Sendable (_ url: String) throws(JournalError) -> any JournalStore
  ) {
    (self.product, self.code, self.schemes, self.setUpAdvice) = (product, code, schemes, setUpAdvice)
    (self.validate, self.open) = (validate, open)
  }
}

/// The registration of the engine whose journals are files in the data folder.
package struct JournalFileEngine: Sendable {
  /// The suffix of the files' names.
  package let suffix: String
  /// The suffix of the names of the folders with pages, one beside each file that has any.
  package let pagesSuffix: String
  /// The versions of the file format that this version of the server reads.
  package let formats: ClosedRange<Int64>
  /// Reads a file's format version, without disturbing a process that has the file open; nil when the file is not a
  /// journal.
  package let format: @Sendable (_ path: String) throws(JournalError) -> Int64?
  /// Locks a journal's file for its repair, which reads the states of checkpoints through a reader.
  package let repair:
    @Sendable (_ path: String, _ checkpoints: any CheckpointReader) throws(JournalError) -> any JournalRepair
  /// Cuts a journal's file off before its first damage.
  package let cut: @Sendable (_ path: String) throws(JournalError) -> JournalRecovery
  /// Opens the store in a data folder, which is created when it is first used.
  package let open: @Sendable (_ folder: String) -> any JournalStore

  /// Creates a registration.
  package init(
    suffix: String, pagesSuffix: String, formats: ClosedRange<Int64>,
    format: @escaping @Sendable (_ path: String) throws(JournalError) -> Int64?,
    repair:
      @escaping @Sendable (_ path: String, _ checkpoints: any CheckpointReader) throws(JournalError) ->
      any JournalRepair,
    cut: @escaping @Sendable (_ path: String) throws(JournalError) -> JournalRecovery,
    open: @escaping @Sendable (_ folder: String) -> any JournalStore
  ) {
    (self.suffix, self.pagesSuffix, self.formats, self.format) = (suffix, pagesSuffix, formats, format)
    (self.repair, self.cut, self.open) = (repair, cut, open)
  }
}
