// SPDX-License-Identifier: Apache-2.0
#include "server/line_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "server/jobs/journal_parts.hpp"
#include "session/machines.hpp"

namespace copse::server {
namespace {

// Nothing is on disk until the test says so.
class MemoryJournal : public Journal {
 public:
  journal::Sequence append(std::string) override { return next++; }
  void snapshot(std::function<std::string()>) override { ++snapshots; }
  [[nodiscard]] bool has_disk_space() const override { return has_room; }

  journal::Sequence next = 0;
  int snapshots = 0;
  bool has_room = true;
};

class NothingKept : public journal::Store {
 public:
  Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
  Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
  Result<journal::Sequence> load(const journal::Recovery&) override { return 0; }
};

class LineClients : public testing::Test {
 protected:
  LineClients() {
    NothingKept store;
    Service::Options start;
    start.make_session = [](SessionEnvironment environment) {
      return session_of_r(kPlainMachine, 0, {}, std::move(environment));
    };
    start.snapshot_records = 3;
    service_ = *Service::recover(store, std::move(start));
    service_->set_journal(journal_);
  }
  std::string sent(LineClient& client) {
    std::string out;
    client.send(journal_.next, out);
    return out;
  }
  static std::string alloc(int id) {
    return fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": 9}})",
                       id) +
           "\n";
  }

  MemoryJournal journal_;
  std::unique_ptr<Service> service_;
};

TEST_F(LineClients, AnswerOthersWhileADearRequestIsWorkedOn) {
  const std::string tries =
      R"({"op": "try-reservation", "reservation": {"name": "r", "start": 50, "duration": 5, )"
      R"("nodes": 1}})";
  LineClient slow(*service_, {}), other(*service_, {});
  slow.add_input(tries + "\n" + alloc(1) + tries);
  slow.end_input();
  const queue::WorkBudget one_step{.jobs = 1};
  slow.process(1, one_step);
  other.receive(alloc(2), 1);
  EXPECT_TRUE(sent(other).starts_with("{\"id\": 2")) << "while the first has no answer";
  EXPECT_EQ(sent(slow), "");
  EXPECT_TRUE(slow.has_work());
  EXPECT_FALSE(slow.finished());
  std::string answers;
  int turns = 1;
  for (; slow.has_work(); ++turns) {
    slow.process(1, one_step);
    answers += sent(slow);
  }
  EXPECT_GT(turns, 4);
  EXPECT_TRUE(slow.finished());
  const std::size_t first = answers.find("\"dry_run\": true}\n{\"id\": 1");
  EXPECT_NE(first, std::string::npos) << answers;
  EXPECT_NE(answers.find("dry_run", first + 20), std::string::npos) << answers;
}

TEST_F(LineClients, WaitForTheDisk) {
  LineClient writer(*service_, {}), reader(*service_, {});
  writer.receive(alloc(1), 0);
  std::string out;
  writer.send(0, out);
  EXPECT_EQ(out, "");
  reader.receive("{\"op\": \"info\"}\n", 0);  // sees the change, so it waits, too
  reader.send(0, out);
  EXPECT_EQ(out, "");
  reader.send(1, out);
  EXPECT_TRUE(out.starts_with(R"({"grants": [{"id": 1)"));
  EXPECT_FALSE(reader.has_unsent());
  EXPECT_TRUE(writer.has_unsent());
}

TEST_F(LineClients, AreAnsweredInOrder) {
  LineClient client(*service_, {});
  const std::string lines = alloc(1) + "{}\n{\"op\": \"info\", \"id\": 1}\n";
  for (const char c : lines) client.receive({&c, 1}, 0);
  const std::string out = sent(client);
  EXPECT_TRUE(out.starts_with(R"({"id": 1, "at": 0)"));
  EXPECT_NE(out.find("\n{\"error\": \"invalid\""), std::string::npos);
  EXPECT_NE(out.find("\n{\"grants\": [{\"id\": 1"), std::string::npos);
}

TEST_F(LineClients, SayGoodbyeAlone) {
  LineClient client(*service_, {}), other(*service_, {});
  client.receive("{\"op\": \"quit\"}\n{\"op\": \"info\"}\n", 0);
  EXPECT_FALSE(client.accepts_input());
  EXPECT_EQ(sent(client), "{}\n");
  EXPECT_TRUE(client.finished());
  other.receive("{\"op\": \"info\"}\n", 0);
  EXPECT_EQ(sent(other), "{\"grants\": []}\n");
}

TEST_F(LineClients, MayEndWithoutALineEnd) {
  LineClient client(*service_, {});
  client.receive("{\"op\": \"info\"}", 0);
  client.end_input();
  client.process(0);
  EXPECT_EQ(sent(client), "{\"grants\": []}\n");
  EXPECT_TRUE(client.finished());
}

TEST_F(LineClients, OfLongLinesNothingIsKept) {
  LineClient client(*service_, {.line_bytes_max = 100, .unsent_bytes_max = 10'000});
  for (int i = 0; i < 50; ++i) client.receive(std::string(99, 'x'), 0);
  client.receive("\n{\"op\": \"info\"}\n", 0);
  EXPECT_EQ(sent(client),
            "{\"error\": \"invalid\", \"message\": \"the line has more than 100 bytes\"}\n"
            "{\"grants\": []}\n");
}

TEST_F(LineClients, AreNotListenedToIfTheyDoNotRead) {
  LineClient client(*service_, {.line_bytes_max = 1000, .unsent_bytes_max = 300});
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "{\"op\": \"nonsense\"}\n";
  client.receive(lines, 0);
  EXPECT_FALSE(client.accepts_input());
  std::size_t answers = 0;
  for (int i = 0; i < 200 && client.has_unsent(); ++i) {
    const std::string out = sent(client);
    EXPECT_LE(out.size(), 1000U);
    answers += static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
    client.process(0);
  }
  EXPECT_EQ(answers, 100U);
  EXPECT_TRUE(client.accepts_input());
}

TEST_F(LineClients, MayGiveBackWithoutRoom) {
  LineClient client(*service_, {});
  client.receive(alloc(1), 0);
  journal_.has_room = false;
  client.receive(alloc(2) + "{\"op\": \"free\", \"id\": 1}\n{\"op\": \"info\"}\n", 0);
  const std::string out = sent(client);
  EXPECT_NE(out.find("the disk of the service is nearly full"), std::string::npos);
  EXPECT_TRUE(out.ends_with("{}\n{\"grants\": []}\n"));
}

// A crash after the first record, before any snapshot that the journal asks for.
TEST_F(LineClients, TheFirstStateIsKeptBeforeAnyRecord) {
  class FirstCalls : public NothingKept {
   public:
    Result<void> snapshot(journal::Sequence next, std::string_view state) override {
      EXPECT_EQ(next, 0U);
      EXPECT_TRUE(session_of_save(split_parts(state)->engine).has_value());
      ++snapshots;
      return {};
    }
    int snapshots = 0;
  } store;
  Service::Options start;
  start.make_session = [](SessionEnvironment environment) {
    return session_of_r(kPlainMachine, 0, {}, std::move(environment));
  };
  EXPECT_TRUE(Service::recover(store, std::move(start)).has_value());
  EXPECT_EQ(store.snapshots, 1);
}

TEST_F(LineClients, MakeSnapshotsNecessary) {
  LineClient client(*service_, {});
  for (int i = 1; i <= 7; ++i) client.receive(alloc(i), 0);
  EXPECT_EQ(journal_.snapshots, 2);
}

}  // namespace
}  // namespace copse::server
