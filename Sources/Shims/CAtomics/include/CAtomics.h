#pragma once

#include <stdbool.h>
#include <stdint.h>

// Atomic access to memory inside of Swift objects, and counters of a thread. Swift's module Synchronization has no
// atomic access by address, and the client library also runs where it is missing.

// A word, read so that what was written before its release is visible.
static inline uintptr_t atomic_word_load(const void *_Nonnull word) {
  return __atomic_load_n((const uintptr_t *)word, __ATOMIC_ACQUIRE);
}

// A word, read without an order to other memory.
static inline uintptr_t atomic_word_load_relaxed(const void *_Nonnull word) {
  return __atomic_load_n((const uintptr_t *)word, __ATOMIC_RELAXED);
}

// Writes a word so that what was written before is visible with it.
static inline void atomic_word_store(void *_Nonnull word, uintptr_t value) {
  __atomic_store_n((uintptr_t *)word, value, __ATOMIC_RELEASE);
}

// Replaces the word if it is `expected`, and returns the word that was found.
static inline uintptr_t atomic_word_exchange_if(void *_Nonnull word, uintptr_t expected, uintptr_t value) {
  __atomic_compare_exchange_n((uintptr_t *)word, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return expected;
}

// Adds to a word and returns the sum, without an order to other memory.
static inline intptr_t atomic_word_add(void *_Nonnull word, intptr_t value) {
  return __atomic_add_fetch((intptr_t *)word, value, __ATOMIC_RELAXED);
}

// A byte, read and written without an order to other memory.
static inline uint8_t atomic_byte_load(const void *_Nonnull byte) {
  return __atomic_load_n((const uint8_t *)byte, __ATOMIC_RELAXED);
}
static inline void atomic_byte_store(void *_Nonnull byte, uint8_t value) {
  __atomic_store_n((uint8_t *)byte, value, __ATOMIC_RELAXED);
}

// The treatment of a thread's reads of data that is not in memory, and their numbers.
struct thread_faults {
  uint64_t count, bytes, refused, failed;
  int32_t policy;
  // True for the thread of an event loop, which must not wait for a disk.
  bool is_event_loop;
};

// The calling thread's own.
struct thread_faults *_Nonnull thread_faults_current(void);
