// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_row.hpp"

#include <array>
#include <limits>

#include "base/nearest_word.hpp"
#include "text/json_walk.hpp"

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 4> kStages{"pending", "planned", "running", "ended"};

struct TextMember {
  std::string_view key;
  std::string JobRow::* of;
};
constexpr std::array<TextMember, 8> kTexts{{{"name", &JobRow::name},
                                            {"user", &JobRow::user},
                                            {"queue", &JobRow::queue},
                                            {"reservation", &JobRow::reservation},
                                            {"shape", &JobRow::shape},
                                            {"hres", &JobRow::hres},
                                            {"result", &JobRow::result},
                                            {"message", &JobRow::message}}};
constexpr std::array<TextMember, 3> kObjects{{{"constraints", &JobRow::constraints},
                                              {"jobspec", &JobRow::jobspec},
                                              {"placement", &JobRow::placement}}};

struct NumberMember {
  std::string_view key;
  std::int64_t JobRow::* of;
};
constexpr std::array<NumberMember, 16> kNumbers{{{"priority", &JobRow::priority},
                                                 {"submitted", &JobRow::submitted},
                                                 {"duration", &JobRow::duration},
                                                 {"lease", &JobRow::lease},
                                                 {"planned", &JobRow::planned},
                                                 {"first_planned", &JobRow::first_planned},
                                                 {"started", &JobRow::started},
                                                 {"ended", &JobRow::ended},
                                                 {"arrival", &JobRow::arrival},
                                                 {"status", &JobRow::status},
                                                 {"nnodes", &JobRow::nnodes},
                                                 {"ncores", &JobRow::ncores},
                                                 {"ngpus", &JobRow::ngpus},
                                                 {"memory_per_core", &JobRow::memory_per_core},
                                                 {"memory_per_node", &JobRow::memory_per_node},
                                                 {"restarts", &JobRow::restarts}}};
struct TruthMember {
  std::string_view key;
  bool JobRow::* of;
};
constexpr std::array<TruthMember, 5> kTruths{{{"held", &JobRow::held},
                                              {"whole_nodes", &JobRow::whole_nodes},
                                              {"operator_hold", &JobRow::operator_hold},
                                              {"requeue", &JobRow::requeue},
                                              {"stopping", &JobRow::stopping}}};

template <class Table>
const typename Table::value_type* find_member(const Table& table, std::string_view key) {
  for (const auto& member : table) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

class EventReader {
 public:
  EventReader(std::string_view line, const std::function<JobRow&(const JobEventHead&)>& row_of)
      : walk_(line, 0, {}, {kBytesMax, kBytesMax, kDepthMax}), row_of_(row_of) {}

  Result<JobEventHead> read() {
    const bool ok = walk_.document([&](std::string_view key, JsonWalk::Value& value,
                                       const JsonWalk::Token& token) {
      return member(key, value, token);
    }) && (row_ != nullptr || walk_.refuse(0, "it names no job"));
    if (!ok) return std::unexpected(walk_.error());
    return head_;
  }

 private:
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;
  static constexpr std::uint32_t kDepthMax = 200;

  bool number(const JsonWalk::Token& token, std::string_view key, std::int64_t& out) {
    return walk_.integer(token, key, std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max(), out);
  }

  bool head(std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
    std::int64_t number_read = 0;
    if (key == "event") {
      std::string_view text;
      if (!walk_.word(value, token, "\"event\"", text)) return false;
      head_.event = text;
      return true;
    }
    if (!number(token, key, number_read)) return false;
    if (key == "t") {
      head_.t = number_read;
      return true;
    }
    if (number_read < 0) return walk_.refuse(token.offset, std::string(key) + " is below 0");
    if (key == "seq") {
      head_.seq = static_cast<std::uint64_t>(number_read);
      return true;
    }
    head_.job = static_cast<JobId>(number_read);
    row_ = &row_of_(head_);
    return true;
  }

  bool member(std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
    if (row_ == nullptr && (key == "seq" || key == "t" || key == "event" || key == "job")) {
      return head(key, value, token);
    }
    if (row_ == nullptr) return walk_.refuse(token.key_offset, "\"job\" comes first");
    if (const auto* text = find_member(kTexts, key)) {
      std::string_view word;
      if (!walk_.word(value, token, key, word)) return false;
      row_->*text->of = word;
      return true;
    }
    if (const auto* member = find_member(kNumbers, key)) {
      return number(token, key, row_->*member->of);
    }
    if (const auto* member = find_member(kTruths, key)) {
      return walk_.boolean(token, key, row_->*member->of);
    }
    if (key == "state") return state(value, token);
    if (key == "used_ids") {
      std::string_view ids;
      if (!walk_.word(value, token, key, ids)) return false;
      head_.used_ids = ids;
      return true;
    }
    if (!walk_.skip(value, token)) return false;
    if (const auto* object = find_member(kObjects, key == "ran" ? "placement" : key)) {
      const std::string_view from = walk_.text().substr(token.offset);
      row_->*object->of = from.substr(0, json_value_end(from));
    }
    return true;
  }

  bool state(JsonWalk::Value& value, const JsonWalk::Token& token) {
    std::string_view text;
    if (!walk_.word(value, token, "\"state\"", text)) return false;
    const auto stage = parse_stage(text);
    if (!stage) return walk_.refuse(token.offset, stage.error().text);
    row_->stage = *stage;
    return true;
  }

  JsonWalk walk_;
  const std::function<JobRow&(const JobEventHead&)>& row_of_;
  JobEventHead head_{};
  JobRow* row_ = nullptr;
};

}  // namespace

const char* word(JobStage stage) { return kStages[static_cast<std::size_t>(stage)].data(); }

Result<JobStage> parse_stage(std::string_view word) {
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    if (kStages[i] == word) return static_cast<JobStage>(i);
  }
  return fail(ErrorCode::not_found, unknown_word("state", word, kStages));
}

void write_changes(JsonWriter& json, const JobRow& before, const JobRow& after) {
  if (before.stage != after.stage) json.member("state", word(after.stage));
  for (const TextMember& member : kTexts) {
    if (before.*member.of != after.*member.of) json.member(member.key, after.*member.of);
  }
  for (const TextMember& member : kObjects) {
    if (before.*member.of != after.*member.of) json.member_json(member.key, after.*member.of);
  }
  for (const NumberMember& member : kNumbers) {
    if (before.*member.of != after.*member.of) json.member(member.key, after.*member.of);
  }
  for (const TruthMember& member : kTruths) {
    if (before.*member.of != after.*member.of) json.member(member.key, after.*member.of);
  }
}

Result<JobEventHead> read_event(std::string_view line,
                                const std::function<JobRow&(const JobEventHead&)>& row_of) {
  return EventReader(line, row_of).read();
}

}  // namespace copse::server
