// SPDX-License-Identifier: Apache-2.0
#include "journal/sqlite_store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "journal/database.hpp"
#include "journal/record_batch.hpp"
#include "temporary_folder.hpp"

namespace copse::journal {
namespace {

struct Kept {
  Sequence state_next = 0;
  std::string state;
  std::vector<std::string> records;
  Sequence next = 0;
};

Result<Kept> kept_in(Store& store, bool take_latest = true) {
  Kept out;
  bool first = true;
  const auto next =
      store.load({.state = [&](Sequence number, std::string_view state) -> Result<void> {
                    if (!take_latest && std::exchange(first, false)) {
                      return fail(ErrorCode::invalid, "the state is damaged");
                    }
                    out.state_next = number;
                    out.state = state;
                    return {};
                  },
                  .record = [&](Sequence, std::string_view record) -> Result<void> {
                    out.records.emplace_back(record);
                    return {};
                  }});
  if (!next) return std::unexpected(next.error());
  out.next = *next;
  return out;
}

class SqliteStoreTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto opened = SqliteStore::open(folder());
    EXPECT_TRUE(opened.has_value()) << opened.error().message();
    return opened ? std::move(*opened) : nullptr;
  }
  void sql(const std::string& text) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder() + "/state.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  std::string folder() const { return scratch_.path().string(); }

  TemporaryFolder scratch_;
};

TEST_F(SqliteStoreTest, KeepsRecordsInOrder) {
  auto store = open();
  EXPECT_EQ(kept_in(*store)->next, 0U);
  const std::vector<std::string> first{"a", "", std::string("\0b", 2)}, second{"c"};
  ASSERT_TRUE(store->append(0, first));
  ASSERT_TRUE(store->append(3, second));
  store = nullptr;
  store = open();
  const auto kept = kept_in(*store);
  ASSERT_TRUE(kept.has_value()) << kept.error().message();
  EXPECT_EQ(kept->next, 4U);
  EXPECT_EQ(kept->records, (std::vector<std::string>{"a", "", std::string("\0b", 2), "c"}));
}

TEST_F(SqliteStoreTest, KeepsTwoStatesAndTheRecordsSince) {
  auto store = open();
  Sequence next = 0;
  const std::string large(3'000'000, 'x');
  for (int i = 0; i < 4; ++i) {
    const std::vector<std::string> records{std::to_string(next), std::to_string(next + 1)};
    ASSERT_TRUE(store->append(next, records));
    next += 2;
    ASSERT_TRUE(store->snapshot(next, large + std::to_string(next)));
  }
  const std::vector<std::string> last{"8"};
  ASSERT_TRUE(store->append(8, last));
  EXPECT_EQ(*store->snapshots(), (std::vector<Sequence>{8, 6}));
  const auto kept = kept_in(*store);
  EXPECT_EQ(kept->state, large + "8");
  EXPECT_EQ(kept->records, last);
  const auto older = kept_in(*store, false);
  EXPECT_EQ(older->state, large + "6");
  EXPECT_EQ(older->records, (std::vector<std::string>{"6", "7", "8"}));
  EXPECT_EQ(older->next, 9U);
}

TEST_F(SqliteStoreTest, TellsRecordsThatTheStateHas) {
  auto store = open();
  for (Sequence next = 0; next < 6; next += 2) {
    const std::vector<std::string> records{std::to_string(next), std::to_string(next + 1)};
    ASSERT_TRUE(store->append(next, records));
    if (next < 4) {
      ASSERT_TRUE(store->snapshot(next + 2, "state"));
    }
  }
  std::string told;
  const Recovery host{.state = [&](Sequence number, std::string_view) -> Result<void> {
                        told += "state " + std::to_string(number);
                        return {};
                      },
                      .record = [&](Sequence number, std::string_view record) -> Result<void> {
                        told += " record " + std::to_string(number) + '=' + std::string(record);
                        return {};
                      },
                      .earlier =
                          [&](Sequence number, std::string_view record) {
                            told +=
                                " earlier " + std::to_string(number) + '=' + std::string(record);
                          }};
  EXPECT_EQ(store->load(host).value_or(0), 6U);
  EXPECT_EQ(told, "state 4 earlier 2=2 earlier 3=3 record 4=4 record 5=5");
  store = nullptr;
  sql("UPDATE journal SET records = x'00' WHERE first = 2");  // the snapshot has its content
  store = open();
  told.clear();
  EXPECT_EQ(store->load(host).value_or(0), 6U);
  EXPECT_EQ(told, "state 4 record 4=4 record 5=5");
}

TEST_F(SqliteStoreTest, SaysWhatIsDamaged) {
  auto store = open();
  const std::vector<std::string> records{"abcdef", "ghijkl"};
  ASSERT_TRUE(store->append(0, records));
  ASSERT_TRUE(store->append(2, records));
  ASSERT_TRUE(store->append(4, records));
  store = nullptr;
  sql("UPDATE journal SET records = CAST('x' || substr(records, 2) AS BLOB) WHERE first = 4");
  EXPECT_EQ(kept_in(*open()).error().text, "record 4 is damaged");
  sql("DELETE FROM journal WHERE first = 2");
  EXPECT_EQ(kept_in(*open()).error().text, "changes 2 to 3 are missing");
  sql("UPDATE meta SET value = 3 WHERE key = 'format'");
  const auto later = SqliteStore::open(folder());
  EXPECT_EQ(later.error().text, "the state has format 3; this Copse reads up to 2");
}

TEST_F(SqliteStoreTest, MissesTheNewestCommits) {
  auto store = open();
  for (Sequence next = 0; next < 6; next += 2) {
    const std::vector<std::string> records{"a", "b"};
    ASSERT_TRUE(store->append(next, records));
  }
  store = nullptr;
  sql("DELETE FROM journal WHERE first = 4");
  EXPECT_EQ(kept_in(*open()).error().text, "changes 4 to 5 were committed, and are missing");
  ASSERT_TRUE(std::filesystem::remove(folder() + "/committed"));
  EXPECT_EQ(kept_in(*open()).error().text, folder() + "/committed is missing or damaged");
}

TEST_F(SqliteStoreTest, MissesCommitsOfAClosedState) {
  auto store = open();
  const std::vector<std::string> records{"a", "b"};
  ASSERT_TRUE(store->append(0, records));
  ASSERT_TRUE(store->append(2, records));
  ASSERT_TRUE(store->close());
  store = nullptr;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/state.db-wal"));
  EXPECT_EQ(kept_in(*open())->next, 4U);
  sql("DELETE FROM journal WHERE first = 2");
  ASSERT_TRUE(std::filesystem::remove(folder() + "/committed"));
  EXPECT_EQ(kept_in(*open()).error().text, "changes 2 to 3 were committed, and are missing");
}

TEST_F(SqliteStoreTest, DetectsCommitsOfAnotherState) {
  const TemporaryFolder other;
  const std::vector<std::string> records{"a"}, others{"b"};
  for (const auto& [folder, first] :
       {std::pair(this->folder(), &records), std::pair(other.path().string(), &others)}) {
    auto store = SqliteStore::open(folder);
    ASSERT_TRUE((*store)->append(0, *first));
    ASSERT_TRUE((*store)->append(1, records));
  }
  sql("ATTACH '" + other.path().string() +
      "/state.db' AS other; DELETE FROM journal WHERE first = 1;"
      "INSERT INTO journal SELECT * FROM other.journal WHERE first = 1");
  EXPECT_EQ(kept_in(*open()).error().text, "the commit of change 1 does not follow the one before");
}

TEST_F(SqliteStoreTest, UsesTheOlderSnapshotAndSaysSo) {
  auto store = open();
  for (Sequence next = 0; next < 4; ++next) {
    const std::vector<std::string> records{std::to_string(next)};
    ASSERT_TRUE(store->append(next, records));
    ASSERT_TRUE(store->snapshot(next + 1, "state " + std::to_string(next + 1)));
  }
  ASSERT_TRUE(store->close());
  store = nullptr;
  sql("UPDATE snapshot SET bytes = CAST('stare 4' AS BLOB) WHERE next = 4");
  std::vector<std::string> damage;
  std::string state;
  std::vector<std::string> records;
  store = open();
  const Recovery host{.state = [&](Sequence, std::string_view bytes) -> Result<void> {
                        state = bytes;
                        return {};
                      },
                      .record = [&](Sequence, std::string_view record) -> Result<void> {
                        records.emplace_back(record);
                        return {};
                      },
                      .damage = [&](const Error& error) { damage.push_back(error.text); }};
  EXPECT_EQ(store->load(host).value_or(0), 4U);
  EXPECT_EQ(state, "state 3");
  EXPECT_EQ(records, std::vector<std::string>{"3"});
  EXPECT_EQ(damage, std::vector<std::string>{"the snapshot of change 4 is damaged in part 0"});
  // The next snapshot replaces the damaged one, not the intact one.
  ASSERT_TRUE(store->snapshot(4, "state 4"));
  EXPECT_EQ(*store->snapshots(), (std::vector<Sequence>{4, 3}));
  damage.clear();
  ASSERT_TRUE(store->close());
  store = open();
  EXPECT_EQ(store->load(host).value_or(0), 4U);
  EXPECT_EQ(damage, std::vector<std::string>{});
}

// As a version before the chain wrote it.
TEST_F(SqliteStoreTest, ReadsAndContinuesStatesOfFormat1) {
  sql("CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
      "CREATE TABLE journal(first INTEGER PRIMARY KEY, n INTEGER, records BLOB);"
      "CREATE TABLE snapshot(next INTEGER, part INTEGER, bytes BLOB, PRIMARY KEY(next, part));"
      "INSERT INTO meta VALUES('format', 1);"
      "INSERT INTO snapshot VALUES(0, 0, CAST('state 0' AS BLOB))");
  const std::vector<std::string> old{"a", "b"}, next{"c"};
  std::string hex;
  for (const char c : batch_of(0, old)) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  sql("INSERT INTO journal VALUES(0, 2, x'" + hex + "')");
  auto store = open();
  EXPECT_EQ(kept_in(*store)->records, old);
  store = nullptr;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/committed"));  // reading changes nothing
  store = open();
  ASSERT_EQ(kept_in(*store)->next, 2U);
  ASSERT_TRUE(store->append(2, next));
  store = nullptr;
  store = open();
  const auto kept = kept_in(*store);
  ASSERT_TRUE(kept.has_value()) << kept.error().message();
  EXPECT_EQ(kept->records, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_TRUE(store->snapshot(3, "state 3"));
  ASSERT_TRUE(store->close());
  store = open();
  EXPECT_EQ(kept_in(*store)->state, "state 3");
  EXPECT_EQ(kept_in(*store, false)->records, (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(SqliteStoreTest, ARestoredCopyHasAnotherIncarnation) {
  const std::vector<std::string> records{"a"};
  auto store = open();
  ASSERT_TRUE(store->append(0, records));
  ASSERT_TRUE(store->snapshot(1, "state"));
  ASSERT_TRUE(store->close());
  const auto incarnation = [&](const std::string& folder) {
    auto opened = SqliteStore::open(folder);
    EXPECT_TRUE(kept_in(**opened).has_value());
    return (*opened)->incarnation();
  };
  const std::string first = incarnation(folder());
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(incarnation(folder()), first);
  const TemporaryFolder all, database;
  namespace fs = std::filesystem;
  const auto over = fs::copy_options::recursive | fs::copy_options::overwrite_existing;
  fs::copy(folder(), all.path(), over);
  fs::copy_file(folder() + "/state.db", database.path() / "state.db");
  EXPECT_NE(incarnation(all.path().string()), first);
  EXPECT_NE(incarnation(database.path().string()), first);
  // In place, over later changes.
  store = open();
  ASSERT_EQ(kept_in(*store)->next, 1U);
  ASSERT_TRUE(store->append(1, records));
  ASSERT_TRUE(store->close());
  EXPECT_EQ(incarnation(folder()), first);
  fs::copy(all.path(), folder(), over);
  EXPECT_NE(incarnation(folder()), first);
  // It stays once it was written.
  store = open();
  ASSERT_EQ(kept_in(*store)->next, 1U);
  ASSERT_TRUE(store->append(1, records));
  const std::string second = store->incarnation();
  store = nullptr;
  EXPECT_EQ(incarnation(folder()), second);
}

TEST_F(SqliteStoreTest, ALostDatabaseIsNoNewState) {
  const std::vector<std::string> records{"a"};
  ASSERT_TRUE(open()->append(0, records));
  for (const bool empty : {true, false}) {
    std::filesystem::remove(folder() + "/state.db");
    if (empty) std::ofstream(folder() + "/state.db").flush();
    const auto opened = SqliteStore::open(folder());
    ASSERT_FALSE(opened.has_value());
    EXPECT_NE(opened.error().text.find(empty ? "state.db is empty" : "state.db is missing"),
              std::string::npos)
        << opened.error().text;
    EXPECT_TRUE(std::filesystem::exists(folder() + "/state.db-wal"));
  }
  std::filesystem::remove(folder() + "/state.db-wal");
  EXPECT_FALSE(SqliteStore::open(folder()).has_value());  // the mark is there
  std::filesystem::remove(folder() + "/committed");
  EXPECT_TRUE(SqliteStore::open(folder()).has_value());
}

TEST_F(SqliteStoreTest, RefusesWhatIsNoDatabase) {
  std::ofstream(folder() + "/state.db") << std::string(5000, 'x');
  const auto opened = SqliteStore::open(folder());
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().text.find("file is not a database"), std::string::npos);
}

TEST_F(SqliteStoreTest, IsItsOwnersAlone) {
  auto store = open();
  const std::vector<std::string> records{"secret"};
  ASSERT_TRUE(store->append(0, records));
  for (const char* name : {"/state.db", "/state.db-wal"}) {
    struct stat file{};
    ASSERT_EQ(::stat((folder() + name).c_str(), &file), 0) << name;
    EXPECT_EQ(file.st_mode & 0777, 0600U) << name;
  }
}

TEST_F(SqliteStoreTest, RunsNothingWithoutAValue) {
  const TemporaryFolder scratch;
  auto database = Database::open((scratch.path() / "x.db").string(), "");
  ASSERT_TRUE(database.has_value());
  ASSERT_TRUE(database->execute("CREATE TABLE t(a)"));
  auto insert = database->prepare("INSERT INTO t VALUES(?1)");
  ASSERT_TRUE(insert.has_value());
  const auto done = insert->bind(1, 7).bind(2, 8).run();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::io);
  EXPECT_NE(done.error().text.find("a value can't be bound"), std::string::npos);
  EXPECT_EQ(database->number("SELECT count(*) FROM t")->value(), 0);
  EXPECT_TRUE(insert->bind(1, 7).run().has_value());
  EXPECT_EQ(database->number("SELECT count(*) FROM t")->value(), 1);
}

TEST_F(SqliteStoreTest, FindsNoFaultInWhatIsWhole) {
  auto store = open();
  const std::vector<std::string> records{std::string(100'000, 'r')};
  ASSERT_TRUE(store->append(0, records));
  EXPECT_TRUE(store->faults()->empty());
  EXPECT_TRUE(store->compact().has_value());
  store = open();
  EXPECT_EQ(kept_in(*store)->records, records);
}

}  // namespace
}  // namespace copse::journal
