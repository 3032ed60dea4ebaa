// SPDX-License-Identifier: Apache-2.0
//
// A small state of a service, damaged in every way there is: bytes flipped, files cut and removed, tables
// and rows deleted. The damage must be refused or reported, or the state must be the same as before.
// COPSE_DAMAGE=all: each byte and each length; else a sample. The counts are printed.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "journal/sqlite_store.hpp"
#include "journal/temporary_folder.hpp"
#include "server/jobs/journal_parts.hpp"
#include "server/service.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::array<const char*, 3> kFiles{"state.db", "state.db-wal", "committed"};

// Commits each record before it returns.
class DiskJournal : public Journal {
 public:
  explicit DiskJournal(journal::SqliteStore& store, journal::Sequence next)
      : store_(store), next_(next) {}
  journal::Sequence append(std::string record) override {
    const std::vector<std::string> records{std::move(record)};
    EXPECT_TRUE(store_.append(next_, records));
    return next_++;
  }
  void snapshot(std::function<std::string()> state) override {
    EXPECT_TRUE(store_.snapshot(next_, state()));
  }
  [[nodiscard]] bool has_disk_space() const override { return true; }

 private:
  journal::SqliteStore& store_;
  journal::Sequence next_;
};

Service::Options start_options() {
  Service::Options out;
  out.make_session = [](SessionEnvironment environment) {
    return session_of_r(kPlainMachine, 0, {}, std::move(environment));
  };
  return out;
}

std::string sorted_text(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// What a service knows, as text.
std::string content_of(const Service& service) {
  const std::string state = service.saver()();
  const auto parts = split_parts(state);
  if (!parts) return parts.error().message();
  const Engine& engine = service.session().engine();
  return fmt::format("{}\n{}\n{:016x} at {}\n", service.next(), sorted_text(parts->jobs),
                     engine.fingerprint(), engine.now()) +
         sorted_text(parts->clients) + sorted_text(parts->reservations) +
         sorted_text(parts->drains) + sorted_text(parts->usage);
}

enum class Outcome : std::uint8_t { refused, reported, same, different };

class StateDamage : public testing::Test {
 protected:
  // A state in which something of everything has happened.
  void make(bool killed) {
    auto store = journal::SqliteStore::open(folder());
    ASSERT_TRUE(store.has_value()) << store.error().message();
    auto service = Service::recover(**store, start_options());
    ASSERT_TRUE(service.has_value()) << service.error().message();
    DiskJournal journal(**store, (*service)->next());
    (*service)->set_journal(journal);
    std::int64_t now_s = 1'000;
    const auto ask = [&](const std::string& line) {
      const std::string text = (*service)->answer(line, ++now_s).text();
      EXPECT_EQ(text.find("\"error\""), std::string::npos) << line << text;
      while (!(*service)->work(now_s)) {
      }
    };
    for (int id = 1; id <= 12; ++id) {
      ask(fmt::format(
          R"({{"op": "submit", "id": {}, "shape": "slot=1/node{{x}}", "duration": {}}})", id,
          360'000 + id));
      if (id == 4) (*service)->snapshot();
      if (id == 6) ask(R"({"op": "drain", "nodes": "n3", "reason": "fan"})");
    }
    ask(R"({"op": "add-reservation", "reservation": {"name": "soon", "nodes": "n[0-1]", )"
        R"("start": 900000, "duration": 50}})");
    ask(R"({"op": "hold", "id": 12})");
    (*service)->snapshot();
    ask(R"({"op": "cancel", "id": 9})");
    ask(R"({"op": "end", "id": 1})");
    ask(R"({"op": "undrain", "nodes": "n3"})");
    if (!killed) {
      (*service)->snapshot();
      ASSERT_TRUE((*store)->close().has_value());
    }
    service->reset();
    store->reset();
    for (const char* name : kFiles) {
      if (fs::exists(folder() + "/" + name)) files_[name] = read(name);
    }
    std::string damage;
    before_ = recover(damage);
    ASSERT_TRUE(before_.has_value()) << damage;
    ASSERT_EQ(damage, "");
  }

  [[nodiscard]] std::string folder() const { return scratch_.path().string(); }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder() + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const Files& files) const {
    for (const char* name : kFiles) fs::remove(folder() + "/" + name);
    for (const auto& [name, bytes] : files) {
      std::ofstream(folder() + "/" + name, std::ios::binary) << bytes;
    }
  }
  // What the service knows; nullopt: it is refused. `damage`: what was reported, or the reason.
  [[nodiscard]] std::optional<std::string> recover(std::string& damage) const {
    auto store = journal::SqliteStore::open(folder());
    if (!store) {
      damage = store.error().message();
      return std::nullopt;
    }
    Service::Options options = start_options();
    options.make_session = [](SessionEnvironment) -> Result<Session> {
      ADD_FAILURE() << "a new state begins";
      return fail(ErrorCode::invalid, "a new state");
    };
    options.damage = [&damage](const Error& error) { damage += error.message() + "; "; };
    const auto service = Service::recover(**store, std::move(options));
    if (service) return content_of(**service);
    damage += service.error().message();
    return std::nullopt;
  }
  [[nodiscard]] Outcome outcome() const {
    std::string damage;
    const auto now = recover(damage);
    if (!now) return Outcome::refused;
    if (*now != *before_) return Outcome::different;
    return damage.empty() ? Outcome::same : Outcome::reported;
  }
  void count(const std::string& what) {
    const Outcome is = outcome();
    ++counts_.at(static_cast<std::size_t>(is));
    if (is == Outcome::different) ADD_FAILURE() << what << ": silently another state";
  }
  void print(const std::string& what) {
    std::cout << what << ": " << counts_[0] << " refused, " << counts_[1] << " reported, "
              << counts_[2] << " same, " << counts_[3] << " silently different\n";
    counts_ = {};
  }
  // Every n-th place of all files.
  [[nodiscard]] std::size_t stride(std::size_t tries) const {
    const char* all = std::getenv("COPSE_DAMAGE");
    if (all != nullptr && std::string_view(all) == "all") return 1;
    std::size_t bytes = 0;
    for (const auto& [name, content] : files_) bytes += content.size();
    return std::max<std::size_t>(1, bytes / tries);
  }

  void flip_bytes(const std::string& what) {
    for (const auto& [name, content] : files_) {
      const std::size_t step = stride(kTries);
      for (std::size_t at = 0; at < content.size(); at += step) {
        Files files = files_;
        files[name][at] = static_cast<char>(files[name][at] ^ (1 << (at / step % 8)));
        write(files);
        count(fmt::format("byte {} of {}", at, name));
      }
      print(fmt::format("{}, {} of {} bytes, one bit of each {} flipped", what, name,
                        content.size(), step));
    }
  }
  void cut_files(const std::string& what) {
    for (const auto& [name, content] : files_) {
      const std::size_t step = stride(kTries / 2);
      for (std::size_t size = 0; size < content.size(); size += step) {
        Files files = files_;
        files[name].resize(size);
        write(files);
        count(fmt::format("{} cut to {} bytes", name, size));
      }
      Files files = files_;
      files.erase(name);
      write(files);
      count(name + " removed");
      print(fmt::format("{}, {} cut to each {} bytes", what, name, step));
    }
  }
  // SQL that another program runs on the files.
  void sql(const std::string& text) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder() + "/state.db").c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << text << ": " << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  [[nodiscard]] std::vector<std::string> keys(const std::string& query) const {
    std::vector<std::string> out;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((folder() + "/state.db").c_str(), &database), SQLITE_OK);
    const auto take = [](void* to, int, char** values, char**) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(values[0]);
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, query.c_str(), take, &out, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return out;
  }
  void delete_tables_and_rows(const std::string& what) {
    write(files_);
    std::vector<std::string> all;
    for (const char* table : {"meta", "journal", "snapshot"}) {
      all.push_back(fmt::format("DROP TABLE {}", table));
      all.push_back(fmt::format("DELETE FROM {}", table));
    }
    for (const std::string& row : keys("SELECT first FROM journal")) {
      all.push_back("DELETE FROM journal WHERE first = " + row);
      all.push_back("DELETE FROM journal WHERE first >= " + row);
      all.push_back("DELETE FROM journal WHERE first <= " + row);
    }
    for (const std::string& row : keys("SELECT next FROM snapshot")) {
      all.push_back("DELETE FROM snapshot WHERE next = " + row);
    }
    for (const std::string& row : keys("SELECT key FROM meta")) {
      all.push_back("DELETE FROM meta WHERE key = '" + row + "'");
    }
    for (const std::string& one : all) {
      write(files_);
      sql(one);
      count(one);
    }
    print(what + ", tables and rows deleted");
  }

  static constexpr std::size_t kTries = 600;
  journal::TemporaryFolder scratch_;
  Files files_;
  std::optional<std::string> before_;
  std::array<std::size_t, 4> counts_{};
};

TEST_F(StateDamage, OfAStoppedServiceIsDetected) {
  make(false);
  EXPECT_FALSE(files_.contains("state.db-wal"));
  flip_bytes("stopped");
  cut_files("stopped");
  delete_tables_and_rows("stopped");
}

TEST_F(StateDamage, OfAKilledServiceIsDetected) {
  make(true);
  ASSERT_TRUE(files_.contains("state.db-wal"));
  flip_bytes("killed");
  cut_files("killed");
  delete_tables_and_rows("killed");
}

// As if the sums were right: whatever is stored, the service starts or refuses.
class StoredState : public journal::Store {
 public:
  explicit StoredState(std::string state) : state_(std::move(state)) {}
  Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
  Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
  Result<journal::Sequence> load(const journal::Recovery& host) override {
    if (auto ok = host.state(7, state_); !ok) return std::unexpected(ok.error());
    return 7;
  }

 private:
  std::string state_;
};

class NoJournal : public Journal {
 public:
  journal::Sequence append(std::string) override { return next++; }
  void snapshot(std::function<std::string()>) override {}
  [[nodiscard]] bool has_disk_space() const override { return true; }
  journal::Sequence next = 7;
};

TEST_F(StateDamage, NothingThatIsStoredIsTrusted) {
  make(false);
  std::string state;
  {
    write(files_);
    auto store = journal::SqliteStore::open(folder());
    ASSERT_TRUE(store.has_value());
    const auto service = Service::recover(**store, start_options());
    ASSERT_TRUE(service.has_value());
    state = (*service)->saver()();
  }
  const char* all = std::getenv("COPSE_DAMAGE");
  const std::size_t step = all != nullptr ? 1 : 1 + state.size() / 3'000;
  std::size_t refused = 0, started = 0;
  for (std::size_t at = 0; at < state.size(); at += step) {
    std::string other = state;
    other[at] = static_cast<char>(other[at] ^ (1 << (at / step % 8)));
    StoredState store(other);
    auto service = Service::recover(store, start_options());
    ++(service ? started : refused);
    if (!service) continue;
    NoJournal journal;
    (*service)->set_journal(journal);
    for (const char* line :
         {R"({"op": "jobs", "state": "all"})", R"({"op": "reservations"})", R"({"op": "drains"})",
          R"({"op": "status"})", R"({"op": "submit", "shape": "slot=1/core", "duration": 5})"}) {
      (void)(*service)->answer(line, 2'000);
    }
    for (int i = 0; i < 100 && !(*service)->work(2'000); ++i) {
    }
  }
  std::cout << "a state of " << state.size() << " bytes, one bit of each " << step
            << " flipped: " << refused << " refused, " << started << " started\n";
}

}  // namespace
}  // namespace copse::server
