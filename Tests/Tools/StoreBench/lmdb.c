// The load of bench.h on LMDB: its cache is the page cache, so the memory of its control group is its limit.

#include "bench.h"

#include <lmdb.h>

static MDB_env *environment;
static MDB_dbi database;
static MDB_txn *writing, *reading;

static void check(int code, const char *what) {
  if (code) fail(what, mdb_strerror(code));
}

static void store_open(const char *folder, size_t cache_bytes) {
  (void)cache_bytes;
  check(mdb_env_create(&environment), "create");
  check(mdb_env_set_mapsize(environment, (size_t)1 << 40), "map size");
  // Random reads beyond the memory are faster without reading ahead.
  check(mdb_env_open(environment, folder, MDB_NORDAHEAD, 0600), "open");
  MDB_txn *opening;
  check(mdb_txn_begin(environment, NULL, 0, &opening), "begin");
  check(mdb_dbi_open(opening, NULL, 0, &database), "database");
  check(mdb_txn_commit(opening), "commit");
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reading), "begin");
  mdb_txn_reset(reading);
}

static void store_begin(void) { check(mdb_txn_begin(environment, NULL, 0, &writing), "begin"); }

static void store_put(const char *key, size_t key_size, const void *value, size_t value_size) {
  MDB_val name = {key_size, (void *)key}, data = {value_size, (void *)value};
  check(mdb_put(writing, database, &name, &data, 0), "put");
}

static void store_commit(void) { check(mdb_txn_commit(writing), "commit"); }

static size_t store_get(const char *key, size_t key_size) {
  MDB_val name = {key_size, (void *)key}, data;
  check(mdb_txn_renew(reading), "renew");
  check(mdb_get(reading, database, &name, &data), "get");
  // Touches the value, as a copy would.
  volatile char last = ((const char *)data.mv_data)[data.mv_size - 1];
  (void)last;
  mdb_txn_reset(reading);
  return data.mv_size;
}

static void store_close(void) {
  mdb_txn_abort(reading);
  mdb_env_close(environment);
}
