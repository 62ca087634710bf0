import HearthJournal
import HearthPostgres
import HearthSQLite

/// The registered storage engines. Another engine is a target beside `HearthSQLite` with a ``JournalEngine``, whose
/// journals pass the checks of `JournalConformance`, and a line here.
package enum JournalEngines {
  /// The engine of the data folder.
  package static let folder = JournalFileEngine.sqlite
  /// The engines that URLs select.
  private static let servers: [JournalEngine] = [
    .postgres
  ]

  /// Their products, for messages and help texts.
  package static var products: String { servers.map(\.product).joined(separator: " or ") }

  /// The beginning of a URL, for help texts.
  package static var urlStart: String {
    servers.compactMap(\.schemes.first).map { $0 + "://" }.joined(separator: " or ")
  }

  /// Returns the engine that a URL selects.
  ///
  /// - Throws: `.notAJournal` when there is none.
  package static func engine(of url: String) throws(JournalError) -> JournalEngine {
    let found = servers.first { engine in engine.schemes.contains { url.hasPrefix($0 + "://") } }
    guard let found else {
      throw JournalError(.notAJournal, "the address of \(products) is a URL that begins with \(urlStart)")
    }
    return found
  }

  /// Returns the product that a URL selects, for messages.
  package static func product(of url: String) -> String { (try? engine(of: url))?.product ?? products }
}
