// The load that the programs of this folder put on a store, the same as the scenario "larger" of hearth-bench: records of
// rooms, read or written one at a time by random numbers. Each program implements the functions of the first part.
//
//   STORE FOLDER fill COUNT VALUE_BYTES CACHE_BYTES
//   STORE FOLDER reads|writes uniform|hot COUNT VALUE_BYTES CACHE_BYTES SECONDS
//
// The second form prints a line: operations a second, p50 and p99 in nanoseconds, processor nanoseconds an operation, and
// bytes that were read from and written to the disk for each.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  records_per_room = 4096,
  // Writes that share a transaction and its sync: those that 8 sockets have in flight.
  writes_per_commit = 256,
  // Of a hundred operations of a hot load, those that go to one record of a hundred.
  hot_percent = 90,
  buckets = 64 * 64,
};

static void store_open(const char *folder, size_t cache_bytes);
static void store_begin(void);
static void store_put(const char *key, size_t key_size, const void *value, size_t value_size);
static void store_commit(void);
static size_t store_get(const char *key, size_t key_size);
static void store_close(void);

static void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static uint64_t random_state = 1;

static uint64_t next_random(void) {  // SplitMix64, public domain.
  uint64_t mixed = random_state += 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
  return mixed ^ (mixed >> 31);
}

static size_t key_of(uint64_t number, char *key) {
  return (size_t)sprintf(key, "items/r%llu/k%llu", (unsigned long long)(number / records_per_room),
                         (unsigned long long)(number % records_per_room));
}

static void fill_value(char *value, size_t size) {
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = next_random();
    for (size_t byte = at; byte < size && byte < at + 8; byte++, word >>= 8) value[byte] = (char)('a' + word % 26);
  }
}

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// A histogram of nanoseconds with 64 buckets for each power of two.
static uint64_t histogram[buckets];

static void record(uint64_t nanoseconds) {
  int shift = 0;
  while (nanoseconds >> shift >= 128) shift++;
  histogram[shift * 64 + (int)(nanoseconds >> shift)]++;
}

static uint64_t percentile(uint64_t count, double percent) {
  uint64_t seen = 0;
  for (int index = 0; index < buckets; index++) {
    seen += histogram[index];
    if ((double)seen < (double)count * percent / 100) continue;
    int shift = index < 128 ? 0 : index / 64 - 1;
    return (uint64_t)(index - shift * 64) << shift;
  }
  return 0;
}

static uint64_t disk_bytes(const char *name) {
  FILE *file = fopen("/proc/self/io", "r");
  char line[128];
  unsigned long long bytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %llu", &bytes);
  if (file) fclose(file);
  return bytes;
}

static void load(int is_write, int is_hot, uint64_t count, char *value, size_t value_size, double seconds) {
  char key[64];
  uint64_t operations = 0, hot_count = count / 100 ? count / 100 : 1;
  uint64_t began = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t read_before = disk_bytes("read_bytes"), written_before = disk_bytes("write_bytes");
  uint64_t last = began, end = began + (uint64_t)(seconds * 1e9);
  random_state = began;
  while (last < end) {
    int in_commit = is_write ? writes_per_commit : 1;
    if (is_write) store_begin();
    for (int index = 0; index < in_commit; index++) {
      int is_hot_now = is_hot && next_random() % 100 < hot_percent;
      // Hot records are spread over all rooms.
      uint64_t number = is_hot_now ? next_random() % hot_count * 100 : next_random() % count;
      size_t key_size = key_of(number < count ? number : count - 1, key);
      if (is_write) {
        fill_value(value, value_size);
        store_put(key, key_size, value, value_size);
      } else if (store_get(key, key_size) != value_size) {
        fail("a record", "is missing");
      }
    }
    if (is_write) store_commit();
    uint64_t ended = now(CLOCK_MONOTONIC);
    // Each write of a commit is acknowledged with it.
    for (int index = 0; index < in_commit; index++) record(ended - last);
    operations += (uint64_t)in_commit;
    last = ended;
  }
  double elapsed = (double)(last - began) / 1e9, each = (double)operations;
  printf("%.0f %llu %llu %.0f %.0f %.0f\n", each / elapsed, (unsigned long long)percentile(operations, 50),
         (unsigned long long)percentile(operations, 99),
         (double)(now(CLOCK_PROCESS_CPUTIME_ID) - processor) / each,
         (double)(disk_bytes("read_bytes") - read_before) / each,
         (double)(disk_bytes("write_bytes") - written_before) / each);
}

static void fill(uint64_t count, char *value, size_t value_size) {
  char key[64];
  for (uint64_t number = 0; number < count;) {
    store_begin();
    for (int index = 0; index < records_per_room && number < count; index++, number++) {
      size_t key_size = key_of(number, key);
      fill_value(value, value_size);
      store_put(key, key_size, value, value_size);
    }
    store_commit();
  }
}

int main(int argument_count, char **arguments) {
  int is_fill = argument_count == 6 && strcmp(arguments[2], "fill") == 0;
  if (!is_fill && argument_count != 8) fail(arguments[0], "FOLDER fill|reads|writes [uniform|hot] COUNT VALUE_BYTES CACHE_BYTES [SECONDS]");
  char **numbers = arguments + (is_fill ? 3 : 4);
  uint64_t count = strtoull(numbers[0], NULL, 10);
  size_t value_size = strtoull(numbers[1], NULL, 10), cache_bytes = strtoull(numbers[2], NULL, 10);
  char *value = malloc(value_size + 1);
  if (!value || !count) fail(arguments[0], "a number is out of range");
  store_open(arguments[1], cache_bytes);
  if (is_fill)
    fill(count, value, value_size);
  else
    load(strcmp(arguments[2], "writes") == 0, strcmp(arguments[3], "hot") == 0, count, value, value_size,
         strtod(numbers[3], NULL));
  store_close();
  free(value);
  return 0;
}
