import HearthJournal

/// The location of a server's journals: those of its databases, and that of the accounts.
public struct JournalLocation: Sendable, Equatable {
  /// The URL of the store; nil for files in the data folder.
  public let url: String?

  /// Files in the data folder.
  public static let dataFolder = JournalLocation()

  private init() { url = nil }

  /// Creates a location on a server, without connecting to it.
  ///
  /// - Parameter url: the URL of a registered engine. It has no password, because lists of processes would show it; the
  ///   password is kept in the data folder's settings.
  /// - Throws: ``ServerError`` when the URL cannot be parsed, or has a password; the message contains no part of the
  ///   password.
  public init(url: String) throws(ServerError) {
    do throws(JournalError) { try JournalEngines.engine(of: url).validate(url) } catch {
      throw ServerError(.badOptions, error.message)
    }
    self.url = url
  }

  /// The product that stores the journals, for messages.
  package var product: String { url.map(JournalEngines.product) ?? "files" }

  /// Opens the store. Blocks.
  ///
  /// - Throws: `JournalError` when it cannot be reached, or is not suitable for journals.
  func open(dataDirectory: String) throws(JournalError) -> any JournalStore {
    guard let url else { return JournalEngines.folder.open(dataDirectory) }
    return try JournalEngines.engine(of: url).open(url)
  }
}
