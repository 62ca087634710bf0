import Foundation
import HearthEngine
import HearthExposure
import HearthRules
import HearthTree
import Testing

@testable import HearthWorkbench

/// Tests of the examples in which one rule is weakened, so that it allows a request that one of the example's test
/// cases expects to be denied. The evaluator determines these holes; the proofs must then find every one.
@Suite struct ExampleHoleTests {
  @Test("holes planted in the examples are open, with a request, and are a difference between the two files")
  func planted() throws {
    var holeCount = 0
    for name in ExampleTests.names {
      let example = try Example(name)
      for hole in example.holes(countMax: 7) {
        holeCount += 1
        try check(hole, of: example, name)
      }
    }
    #expect(holeCount >= 50)
  }

  private func check(_ hole: Hole, of example: Example, _ name: String) throws {
    let what: Comment =
      "\(name): \(hole.mutant.operation) of .\(hole.mutant.rule.kind) at \(hole.mutant.rule.pathTemplate), \(hole.mutant.expression), by \(hole.asked.identity.name)"
    let exposure = Exposure(of: hole.rules, nowMilliseconds: hole.asked.nowMilliseconds)
    let location = try #require(exposure.locations.first { $0.contains(hole.asked.path) }, what)
    let question = ExposureQuestion(location: location, operation: hole.asked.operation, identity: hole.asked.identity)
    guard case .open(let witness, _) = exposure.verdict(question) else {
      Issue.record(what)
      return
    }
    #expect(witness.decision(by: hole.rules).isAllowed, what)
    let difference = RulesDifference(from: example.rules, to: hole.rules, nowMilliseconds: hole.asked.nowMilliseconds)
    let place = try #require(difference.locations.first { $0.contains(hole.asked.path) }, what)
    let changed = ExposureQuestion(location: place, operation: hole.asked.operation, identity: hole.asked.identity)
    guard case .open(let opened, _) = difference.verdict(changed, .opened) else {
      Issue.record("no difference: \(what)")
      return
    }
    #expect(opened.decision(by: hole.rules).isAllowed, what)
    #expect(!opened.decision(by: example.rules).isAllowed, what)
  }
}

/// An example with the requests of its test cases.
private struct Example {
  let rules: RuleSet
  private let test: RulesTestFile

  init(_ name: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Rules/Examples/\(name)")
    func text(_ file: String) throws -> String {
      try String(contentsOf: folder.appending(path: file), encoding: .utf8)
    }
    rules = try RuleSet.compile(try text("rules.json"), keepsExpressions: true)
    let yaml = try? text("tests.yaml")
    test = try RulesTestReader.read(
      DocumentText(file: yaml == nil ? "tests.json" : "tests.yaml", text: try yaml ?? text("tests.json")))
  }

  /// Returns variants that allow a request that a case expects to be denied, each with such a request, from all parts
  /// of the file.
  func holes(countMax: Int) -> [Hole] {
    let (denied, mutants) = (requests, MutantGenerator.mutants(of: rules).mutants)
    var result: [Hole] = []
    for start in 0..<7 {
      for index in stride(from: start, to: mutants.count, by: 7) where result.count < countMax {
        guard let broken = mutants[index].applied(to: rules),
          let asked = denied.first(where: { broken.decide($0.request).isAllowed })
        else { continue }
        result.append(Hole(mutant: mutants[index], rules: broken, asked: asked))
      }
    }
    return result
  }

  /// The requests that the original rules deny and about which a question can be asked.
  private var requests: [Denied] {
    var result: [Denied] = []
    let locations = ExposureLocation.all(in: [rules])
    for testCase in test.cases {
      var root = testCase.data ?? test.data
      for step in testCase.steps {
        guard !step.user.isAdministrator,
          let request = try? step.request.prepared(
            on: root, auth: step.user.auth, nowMilliseconds: step.nowMilliseconds)
        else { break }
        let isAllowed = rules.decide(request).isAllowed
        if isAllowed { root = request.newRoot }
        guard !isAllowed, let identity = step.user.identity, let path = request.path,
          locations.contains(where: { $0.contains(path) })
        else { continue }
        let isRead = if case .read = request { true } else { false }
        result.append(
          Denied(
            request: request, path: path, operation: isRead ? .read : .write, identity: identity,
            nowMilliseconds: step.nowMilliseconds))
      }
    }
    return result
  }
}

/// A request that an example denies.
private struct Denied {
  var request: RulesRequest
  var path: Path
  var operation: ExposureOperation
  var identity: ExposureIdentity
  var nowMilliseconds: Int64
}

/// An example with one broken rule, and a request that it allows.
private struct Hole {
  var mutant: RulesMutant
  var rules: RuleSet
  var asked: Denied
}

extension RulesRequest {
  /// The only location of the request; nil for an update of several locations.
  fileprivate var path: Path? {
    switch self {
    case .read(let request): request.path
    case .write(let request): request.locations.count == 1 ? request.locations[0].path : nil
    }
  }
}

extension RulesTestUser {
  /// The smallest identity class that contains the request's identity.
  fileprivate var identity: ExposureIdentity? {
    guard let auth else { return .signedOut }
    let standard: Set = ["sub", "user_id", "firebase", "email", "email_verified", "name", "picture", "phone_number"]
    guard let token = auth["token"]?.members else { return .anyAuth }
    return token.allSatisfy { standard.contains($0.name) } ? .signedIn : .anyClaims
  }
}

extension ExposureLocation {
  fileprivate func contains(_ path: Path) -> Bool {
    path.count == steps.count
      && zip(path.keys, steps).allSatisfy { key, step in
        switch step {
        case .key(let name): key == Key(name)
        case .wildcard(_, let excluded): !excluded.contains { key == Key($0) }
        }
      }
  }
}
