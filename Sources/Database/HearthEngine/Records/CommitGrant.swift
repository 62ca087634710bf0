import HearthRules
import HearthTree

/// By which rules a commit was allowed, as far as the journal is told: see ``EngineLimits/recordsAuthors``.
///
/// Only the rules' places are kept, not what they looked at. Which file they are in follows from the position: it is the
/// one that was deployed last before it. The record has it behind its author, when bit 5 of its kind is set:
///
/// ```
/// grant = count:u8 place*
/// place = length:varint utf8            as the file names it, such as /rooms/$room
/// ```
///
/// The count is 1 to 4. Bit 7 of it says that there were more rules.
///
/// Example: `.write` at `/rooms/$room` was true.
///
/// ```
/// 01                                       one
/// 0c 2f 72 6f 6f 6d 73 2f 24 72 6f 6f 6d   "/rooms/$room"
/// ```
public struct CommitGrant: Sendable, Equatable {
  /// The place where the `.write` rules stand that let the places be written, each once, in the order of the places.
  public var places: [String]
  /// There were more than are kept.
  public var isCut: Bool

  /// Rules that are kept of one commit: more than most updates of several places meet.
  public static let countMax = 4
  /// Bytes of a place that are kept; of a longer one the beginning.
  public static let placeBytesMax = 256

  private static let cutFlag: UInt8 = 0x80

  /// The rules at these places.
  ///
  /// - Returns: nil without any.
  public init?(places: [String], isCut: Bool = false) {
    guard !places.isEmpty else { return nil }
    self.places = places.prefix(Self.countMax).map { $0.bounded(utf8: Self.placeBytesMax) }
    self.isCut = isCut || places.count > Self.countMax
  }

  /// - Returns: nil without any.
  init?(_ rules: [RuleReference]) {
    self.init(places: rules.prefix(Self.countMax + 1).map(\.pathTemplate))
  }

  /// The rules of commits that were made together, each once.
  ///
  /// - Returns: nil without any.
  package init?(joining grants: [CommitGrant]) {
    var places: [String] = []
    for place in grants.flatMap(\.places) where !places.contains(place) { places.append(place) }
    self.init(places: places, isCut: grants.contains(where: \.isCut))
  }

  /// As tools name rules: `/rooms/$room/.write`.
  public var ruleNames: [String] { places.map { ($0 == "/" ? "" : $0) + "/.write" } }

  /// Writes it behind what is in `bytes`.
  func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(places.count) | (isCut ? Self.cutFlag : 0))
    for place in places { bytes.append(sized: place) }
  }

  /// Reads what ``append(to:)`` wrote.
  init(_ cursor: inout ByteCursor) throws {
    let head = try cursor.byte()
    let count = Int(head & ~Self.cutFlag)
    guard (1...Self.countMax).contains(count) else {
      throw RecordError.Problem("a record with \(count) rules; it may come from a newer version")
    }
    var places: [String] = []
    for _ in 0..<count { places.append(try cursor.text()) }
    (self.places, isCut) = (places, head & Self.cutFlag != 0)
  }
}
