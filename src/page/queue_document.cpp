// SPDX-License-Identifier: Apache-2.0
#include "page/queue_document.hpp"

#include "page/exact.hpp"
#include "queue/answers/answer_text.hpp"
#include "text/clauses.hpp"

namespace copse::page {

namespace {

void append_brief(JsonWriter& json, const queue::Answers::Brief& brief, const JobNames& names,
                  const JobNames& queue_name) {
  json.object([&] {
    json.member("job", names ? names(brief.when.job) : std::to_string(brief.when.job));
    json.member("state", std::string_view("waiting"));
    json.member("queue", queue_name ? queue_name(brief.when.job) : std::string());
    json.member("ahead", brief.when.ahead);
    json.object("why", [&] {
      json.member("cause", std::string_view(queue::word(brief.why.cause)));
      json.member("short", brief.why.brief);
      json.member("text", brief.why.text);
    });
    exact_member(json, "expected", brief.when.start_s);
  });
}

}  // namespace

void append_queue_document(std::string& out, std::int64_t at_s, queue::Answers& answers,
                           const JobNames& names, const JobNames& queue_name,
                           const std::vector<Awaiting>& awaiting) {
  JsonWriter json(out);
  json.object([&] {
    json.member("format", 1);
    exact_member(json, "at", at_s);
    std::size_t full = 0;
    json.list("jobs", [&] {
      for (const queue::Answers::Brief& brief : answers.all()) {
        if (full++ < kFullAnswersMax) {
          if (auto answer = answers.of(brief.when.job)) {
            if (answer->queue.empty() && queue_name) answer->queue = queue_name(answer->job);
            append_answer_json(json.begin(), *answer, names, JobMember::name);
            continue;
          }
        }
        append_brief(json, brief, names, queue_name);
      }
      for (const Awaiting& each : awaiting) {
        json.object([&] {
          json.member("job", each.job);
          json.member("state", std::string_view("waiting"));
          json.member("queue", each.queue);
          json.object("why", [&] {
            json.member("cause", std::string_view("after"));
            json.member("short", first_clauses(each.text, queue::kCauseCharacters));
            json.member("text", each.text);
          });
          json.member_json("expected", "null");
        });
      }
    });
  });
}

}  // namespace copse::page
