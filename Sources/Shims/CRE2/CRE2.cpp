#include "CRE2.h"

#include <re2/re2.h>

#include <cstring>
#include <memory>
#include <new>
#include <string>

struct cre2_pattern {
  re2::RE2 expression;

  cre2_pattern(const re2::StringPiece &text, const re2::RE2::Options &options) : expression(text, options) {}
};

cre2_pattern *cre2_compile(
    const char *pattern, size_t pattern_bytes, int64_t memory_bytes_max, char *error, size_t error_capacity) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  options.set_never_capture(true);
  options.set_max_mem(memory_bytes_max);
  auto *compiled = new (std::nothrow) cre2_pattern(re2::StringPiece(pattern, pattern_bytes), options);
  if (compiled != nullptr && compiled->expression.ok()) return compiled;
  if (error_capacity > 0) {
    const std::string text = compiled != nullptr ? compiled->expression.error() : "out of memory";
    const size_t count = text.size() < error_capacity ? text.size() : error_capacity - 1;
    std::memcpy(error, text.data(), count);
    error[count] = 0;
  }
  delete compiled;
  return nullptr;
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }

size_t cre2_program_size(const cre2_pattern *pattern) {
  const int size = pattern->expression.ProgramSize();
  return size > 0 ? static_cast<size_t>(size) : 0;
}

bool cre2_matches(const cre2_pattern *pattern, const char *text, size_t text_bytes) {
  const re2::StringPiece piece(text, text_bytes);
  return pattern->expression.Match(piece, 0, text_bytes, re2::RE2::UNANCHORED, nullptr, 0);
}
