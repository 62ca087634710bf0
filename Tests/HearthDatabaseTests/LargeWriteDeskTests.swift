import HearthRules
import HearthTestKit
import HearthTree
import Testing

@testable import HearthDatabase
@testable import HearthEngine

/// Who waits for a large write, and in which order they come after it.
@Suite final class LargeWriteDeskTests {
  private var desk = LargeWriteDesk()

  private static func put(_ connection: UInt64, _ path: String, isOneOff: Bool = false) -> Command {
    Command(
      connection: ConnectionID(rawValue: connection), principal: isOneOff ? .administrator : nil, action: .put(path, 1))
  }

  private static func write(_ connection: UInt64, _ path: String) -> LargeWrite {
    let command = put(connection, path)
    guard case .write(let operation) = command.action else { fatalError("because put makes a write") }
    return LargeWrite(
      command: command, operation: operation, principal: .signedOut,
      state: Published(root: .empty, rules: .denyAll, position: 0),
      now: Instant(wallMilliseconds: 0, monotonicMilliseconds: 0), limits: EngineLimits())
  }

  private static func name(_ command: Command) -> String {
    switch command.action {
    case .write(let operation): "\(command.connection.rawValue) \(operation.path)"
    case .disconnect: "\(command.connection.rawValue) ends"
    default: "\(command.connection.rawValue) other"
    }
  }

  private func admit(_ commands: [Command], isReleased: Bool = false) -> [String] {
    desk.admit(commands[...], isReleased: isReleased) { command, places in
      guard case .write(let operation) = command.action else { return false }
      return operation.change.overlaps(places)
    }.map(Self.name)
  }

  private func takeReleased(_ count: Int) -> [String] { admit(desk.takeReleased(count), isReleased: true) }

  @Test func `without a large write nobody waits`() {
    #expect(admit([Self.put(1, "a"), Self.put(2, "a")]) == ["1 /a", "2 /a"])
    #expect(desk.isIdle)
  }

  @Test func `its connection waits, and who writes there; the others go on`() {
    desk.begin(.write(Self.write(1, "big")))
    let listen = Command(connection: ConnectionID(rawValue: 2), action: .listen(ListenRequest(Path("big"))))
    #expect(
      admit([
        Self.put(1, "small"), Self.put(2, "small"), listen, Self.put(3, "big/k"), Self.put(3, "other"),
        Self.put(9, "big", isOneOff: true), Self.put(9, "x", isOneOff: true), Self.put(4, ""),
      ]) == ["2 /small", "2 other", "9 /x"])
    #expect(!desk.isIdle)
    desk.end()
    #expect(takeReleased(2) == ["1 /small", "3 /big/k"])
    // What comes meanwhile stands behind.
    #expect(admit([Self.put(3, "late"), Self.put(2, "late"), Self.put(1, "late")]) == ["2 /late", "1 /late"])
    #expect(takeReleased(9) == ["3 /other", "9 /big", "4 /", "3 /late"])
    #expect(desk.isIdle)
  }

  @Test func `another large write waits, and its connection's commands keep their order`() {
    desk.begin(.write(Self.write(1, "big")))
    #expect(admit([Self.put(2, "large"), Self.put(2, "a")]) == ["2 /large", "2 /a"])
    // The engine sets the first of them aside.
    desk.wait(Self.put(2, "large"))
    #expect(admit([Self.put(2, "a"), Self.put(3, "b")]) == ["3 /b"])
    desk.end()
    #expect(takeReleased(1) == ["2 /large"])
    desk.begin(.write(Self.write(2, "large")))
    #expect(admit([Self.put(2, "c")]) == [])
    desk.end()
    #expect(takeReleased(9) == ["2 /a", "2 /c"])
  }

  @Test func `a connection that follows another waits for its end`() {
    desk.hold(ConnectionID(rawValue: 2), until: ConnectionID(rawValue: 1))
    desk.begin(.write(Self.write(1, "big")))
    let end = Command(connection: ConnectionID(rawValue: 1), action: .disconnect)
    #expect(admit([end, Self.put(2, "a"), Self.put(3, "a")]) == ["3 /a"])
    desk.end()
    #expect(admit([Self.put(2, "b")]) == [])
    #expect(takeReleased(9) == ["1 ends", "2 /a", "2 /b"])
    desk.decided([end])
    desk.begin(.write(Self.write(1, "big")))
    #expect(admit([Self.put(2, "c")]) == ["2 /c"])
  }

  @Test func `what it looked at is kept from the second time on, and it is tried so often`() {
    desk.begin(.write(Self.write(1, "big")))
    #expect(admit([Self.put(2, "gate")]) == ["2 /gate"])
    var places = PlaceSet()
    places.insert(Path("gate"))
    let isTriedAgain = desk.retry(without: places, attemptsMax: 2)
    #expect(isTriedAgain)
    #expect(admit([Self.put(2, "gate"), Self.put(3, "big/x"), Self.put(4, "free")]) == ["4 /free"])
    let isTriedForEver = desk.retry(without: places, attemptsMax: 2)
    #expect(!isTriedForEver)
    desk.end()
    #expect(takeReleased(9) == ["2 /gate", "3 /big/x"])
  }
}

@Suite struct PlaceSetTests {
  @Test func `a place stands for all that is below it`() {
    var places = PlaceSet()
    for path in ["a/b/c", "a/b", "a/b/d", "x"] { places.insert(Path(path)) }
    #expect(Set(places.paths.map(\.description)) == ["/a/b", "/x"])
    for path in ["", "a", "a/b", "a/b/z", "x/y"] { #expect(places.overlaps(Path(path)), "\(path)") }
    for path in ["b", "a/c", "y"] { #expect(!places.overlaps(Path(path)), "\(path)") }
    #expect(!PlaceSet().overlaps(.root))
  }

  @Test func `many places are held by a few above them, as deep as they can be`() {
    let locations = (0..<6).flatMap { i in (0..<6).map { Location(path: Path("base/\(i)/\($0)/x")) } }
    let all = PlaceSet.holding(locations, below: Path("base"), countMax: 36)
    #expect(all.places.paths.count == 36)
    #expect(all.places.overlaps(Path("base/1/1")) && !all.places.overlaps(Path("base/1/1/y")))
    let six = PlaceSet.holding(locations, below: Path("base"), countMax: 35)
    #expect(six.depth == 2)
    #expect(Set(six.places.paths.map(\.description)) == Set((0..<6).map { "/base/\($0)" }))
    #expect(PlaceSet.holding(locations, below: Path("base"), countMax: 5).places.paths == [Path("base")])
  }
}
