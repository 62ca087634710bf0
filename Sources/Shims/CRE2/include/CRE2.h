#ifndef CRE2_H
#define CRE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A C interface for RE2, which has only a C++ one. It translates nothing: patterns are RE2's own syntax, in UTF-8.

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled pattern. Matching changes nothing in it that callers could see, so threads may share one.
typedef struct cre2_pattern cre2_pattern;

/// Compiles a pattern in which `.` matches line breaks too.
///
/// On failure returns NULL and puts RE2's explanation, cut to `error_capacity - 1` bytes and ended with 0, into
/// `error`. `memory_bytes_max` bounds the program and the automaton states that matching keeps.
cre2_pattern *_Nullable cre2_compile(
    const char *_Nonnull pattern, size_t pattern_bytes, int64_t memory_bytes_max,
    char *_Nonnull error, size_t error_capacity);

void cre2_free(cre2_pattern *_Nullable pattern);

/// The number of instructions of the compiled pattern, to which its memory and its compile time are in proportion.
size_t cre2_program_size(const cre2_pattern *_Nonnull pattern);

/// True when some substring of the text matches. Time is linear in the text.
bool cre2_matches(const cre2_pattern *_Nonnull pattern, const char *_Nullable text, size_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
