// The load of bench.h on RocksDB, with a block cache of the given size and bloom filters.

#include "bench.h"

#include <rocksdb/c.h>

static rocksdb_t *store;
static rocksdb_writebatch_t *batch;
static rocksdb_writeoptions_t *write_options;
static rocksdb_readoptions_t *read_options;

static void check(char *error, const char *what) {
  if (error) fail(what, error);
}

static void store_open(const char *folder, size_t cache_bytes) {
  rocksdb_options_t *options = rocksdb_options_create();
  rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(table, rocksdb_cache_create_lru(cache_bytes));
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  write_options = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(write_options, 1);
  read_options = rocksdb_readoptions_create();
  batch = rocksdb_writebatch_create();
  char *error = NULL;
  store = rocksdb_open(options, folder, &error);
  check(error, "open");
}

static void store_begin(void) { rocksdb_writebatch_clear(batch); }

static void store_put(const char *key, size_t key_size, const void *value, size_t value_size) {
  rocksdb_writebatch_put(batch, key, key_size, value, value_size);
}

static void store_commit(void) {
  char *error = NULL;
  rocksdb_write(store, write_options, batch, &error);
  check(error, "write");
}

static size_t store_get(const char *key, size_t key_size) {
  char *error = NULL;
  size_t size = 0;
  char *value = rocksdb_get(store, read_options, key, key_size, &size, &error);
  check(error, "get");
  rocksdb_free(value);
  return size;
}

static void store_close(void) { rocksdb_close(store); }
