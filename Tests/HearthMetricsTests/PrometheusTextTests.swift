import HearthMetrics
import Testing

@Suite struct PrometheusTextTests {
  private static func text(_ family: MetricFamily) -> String {
    var text = PrometheusText()
    text.write(family)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test("a counter and a gauge have a type line, then a line for each series")
  func numbers() {
    let counter = MetricFamily(
      MetricDescription("a_total", .counter, "What is counted."),
      [.init([MetricLabel("one", "1"), MetricLabel("two", "b")], .number(12)), .init([], .number(0))])
    #expect(
      Self.text(counter) == """
        # HELP a_total What is counted.
        # TYPE a_total counter
        a_total{one="1",two="b"} 12
        a_total 0

        """)
    let gauge = MetricFamily(MetricDescription("b", .gauge, "A level."), [.init([], .number(-1.5))])
    #expect(Self.text(gauge).hasSuffix("# TYPE b gauge\nb -1.5\n"))
  }

  @Test("a metric without a series has no lines")
  func empty() {
    #expect(Self.text(MetricFamily(MetricDescription("a", .gauge, "A level."), [])).isEmpty)
  }

  @Test("buckets are cumulative, and the last one counts all")
  func histogram() {
    let counts = HistogramCounts(bounds: [0.25, 1], counts: [2, 3, 1], sum: 4.5)
    let family = MetricFamily(
      MetricDescription("a_seconds", .histogram(bounds: [0.25, 1]), "A time."),
      [.init([MetricLabel("of", "x")], .histogram(counts))])
    #expect(
      Self.text(family) == """
        # HELP a_seconds A time.
        # TYPE a_seconds histogram
        a_seconds_bucket{of="x",le="0.25"} 2
        a_seconds_bucket{of="x",le="1"} 5
        a_seconds_bucket{of="x",le="+Inf"} 6
        a_seconds_sum{of="x"} 4.5
        a_seconds_count{of="x"} 6

        """)
  }

  @Test("external text never ends a value, a line or a help text")
  func escaping() {
    let family = MetricFamily(
      MetricDescription("a", .gauge, "Say \"a\\b\"\nhere."),
      [.init([MetricLabel("path", "\"}\\\n# TYPE a counter\u{0}é")], .number(1))])
    #expect(
      Self.text(family)
        == "# HELP a Say \"a\\\\b\"\\nhere.\n# TYPE a gauge\na{path=\"\\\"}\\\\\\n# TYPE a counter\u{0}é\"} 1\n")
  }

  @Test(
    "NaN, infinities and very large numbers are encoded",
    arguments: [
      (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e300, "1e+300"),
      (9_007_199_254_740_992, "9007199254740992"), (0.1, "0.1"), (-0.0, "0"),
    ])
  func numbers(value: Double, text: String) {
    let family = MetricFamily(MetricDescription("a", .gauge, "A level."), [.init([], .number(value))])
    #expect(Self.text(family).hasSuffix("\na \(text)\n"))
  }

  @Test("metrics read at the scrape are sorted among the counted ones, within the limit")
  func samples() {
    var limits = MetricsLimits()
    limits.seriesPerFamilyMax = 2
    var samples = MetricSamples(limits: limits)
    let level = MetricDescription("b", .gauge, labels: ["of"], "A level.")
    for name in ["x", "y", "z"] { samples.add(level, 1, name) }
    let counted = MetricFamily(MetricDescription("a_total", .counter, "A count."), [.init([], .number(7))])
    let text = String(decoding: samples.text(with: [counted]), as: UTF8.self)
    #expect(
      text.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["a_total 7", "b{of=\"x\"} 1", "b{of=\"y\"} 1"])
  }
}
