import HearthRules
import HearthTree

/// The rules that allowed a commit in the journal, if they are recorded: see ``EngineLimits/recordsAuthors``.
///
/// Only the locations of the rules are stored, not the data that they read. The rules are those of the last deploy
/// before the commit's position. The grant follows the author of the record when bit 5 of the record's kind is set:
///
/// ```
/// grant = count:u8 place*
/// place = length:varint utf8            as the rules file names it, such as /rooms/$room
/// ```
///
/// The count is 1 to 4. Bit 7 of it means that there were more rules.
///
/// Example: `.write` at `/rooms/$room` was true.
///
/// ```
/// 01                                       one
/// 0c 2f 72 6f 6f 6d 73 2f 24 72 6f 6f 6d   "/rooms/$room"
/// ```
public struct CommitGrant: Sendable, Equatable {
  /// The locations of the `.write` rules that allowed the written locations, without repetition, in their order.
  public var places: [String]
  /// True when there were more rules than are stored.
  public var isCut: Bool

  /// The most stored rules of one commit: more than most updates of several locations involve.
  public static let countMax = 4
  /// The most bytes that are stored of a location; longer ones are truncated.
  public static let placeBytesMax = 256

  private static let cutFlag: UInt8 = 0x80

  /// Creates a grant of the rules at these locations.
  ///
  /// - Returns: nil when `places` is empty.
  public init?(places: [String], isCut: Bool = false) {
    guard !places.isEmpty else { return nil }
    self.places = places.prefix(Self.countMax).map { $0.bounded(utf8: Self.placeBytesMax) }
    self.isCut = isCut || places.count > Self.countMax
  }

  /// Creates a grant of these rules.
  ///
  /// - Returns: nil when `rules` is empty.
  init?(_ rules: [RuleReference]) {
    self.init(places: rules.prefix(Self.countMax + 1).map(\.pathTemplate))
  }

  /// Creates the grant of commits that are stored as one joint record, with each rule once.
  ///
  /// - Returns: nil when `grants` is empty.
  package init?(joining grants: [CommitGrant]) {
    var places: [String] = []
    for place in grants.flatMap(\.places) where !places.contains(place) { places.append(place) }
    self.init(places: places, isCut: grants.contains(where: \.isCut))
  }

  /// The names of the rules in outputs: `/rooms/$room/.write`.
  public var ruleNames: [String] { places.map { ($0 == "/" ? "" : $0) + "/.write" } }

  /// Appends the encoding to `bytes`.
  func append(to bytes: inout [UInt8]) {
    bytes.append(UInt8(places.count) | (isCut ? Self.cutFlag : 0))
    for place in places { bytes.append(sized: place) }
  }

  /// Decodes the bytes of ``append(to:)``.
  init(_ cursor: inout ByteCursor) throws {
    let head = try cursor.byte()
    let count = Int(head & ~Self.cutFlag)
    guard (1...Self.countMax).contains(count) else {
      throw RecordError.Problem("a record has \(count) rules; it may come from a newer version")
    }
    var places: [String] = []
    for _ in 0..<count { places.append(try cursor.text()) }
    (self.places, isCut) = (places, head & Self.cutFlag != 0)
  }
}
