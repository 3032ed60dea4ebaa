// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace copse::queue {
namespace {

std::string refusal(std::string_view text) {
  const auto read = read_reservations(
      text, "r", {.has_node = [](std::string_view name) { return name.starts_with("node"); }});
  return read ? "" : read.error().message();
}

TEST(ReservationReader, ReadsLinesAndLists) {
  const auto lines = read_reservations(
      "{\"name\": \"a\", \"start\": \"1h\", \"duration\": 60, \"nodes\": \"node[0-1]\", \"users\": "
      "[]}\n"
      "\n"
      "{\"name\": \"b\", \"start\": 5, \"duration\": \"1h\", \"nodes\": 3, \"users\": \"ada\","
      " \"repeat\": \"weekly\", \"count\": 4, \"until\": \"30d\"}\n",
      "r");
  ASSERT_TRUE(lines) << lines.error().message();
  ASSERT_EQ(lines->size(), 2U);
  const ReservationSpec &a = (*lines)[0], &b = (*lines)[1];
  EXPECT_EQ(a.start_s, 3600);
  EXPECT_EQ(a.constraint.words, (std::vector<std::string>{"node0", "node1"}));
  EXPECT_TRUE(a.users && a.users->empty());
  EXPECT_FALSE(a.request);
  EXPECT_TRUE(b.request);
  EXPECT_EQ(b.users, std::vector<std::string>{"ada"});
  EXPECT_EQ(b.every_s, kWeek_s);
  EXPECT_EQ(b.count, 4);
  EXPECT_EQ(b.until_s, 30 * kDay_s);

  const auto list = read_reservations(
      " [{\"name\": \"a\", \"start\": \"1970-01-02\", \"duration\": 1,\n"
      "   \"constraint\": {\"properties\": [\"fast\"]}},\n"
      "  {\"name\": \"b\", \"start\": 0, \"duration\": 1, \"shape\": \"node/core\", \"hres\": "
      "\"flat:2\"}]",
      "r");
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ((*list)[0].start_s, 86'400);
  EXPECT_EQ((*list)[1].request->hres.items.size(), 1U);
}

TEST(ReservationReader, CountsDatesFromWhenTheClockBegins) {
  const char* const line =
      R"({"name": "a", "start": "2026-11-23T08:00Z", "duration": 60, "nodes": 1})";
  const std::int64_t eight = 1'795'420'800;
  std::vector<SourceLocation> places;
  const auto known = read_reservations(line, "r", {.zero_s = eight - 3600}, &places);
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_EQ(known->front().start_s, 3600);
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places.front().text(), "r:1:1");
  const auto unknown = read_reservations(line, "r", {.zero_s = std::nullopt});
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message().starts_with("r:1:24: \"start\" is a date, and "))
      << unknown.error().message();
  const auto before = read_reservations(line, "r", {.zero_s = eight + 60});
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().text,
            "\"start\" is 2026-11-23T08:00:00Z, and the clock begins at 2026-11-23T08:01:00Z");
}

TEST(ReservationReader, DaysAreThoseOfTheCalendar) {
  const auto read = [](std::int64_t start_s, std::int64_t zero_s) {
    const auto specs = read_reservations(
        "{\"name\": \"a\", \"start\": " + std::to_string(start_s) +
            ", \"duration\": 1, \"nodes\": 1, \"repeat\": \"daily\"}",
        "r",
        {.calendar =
             [](std::int64_t as_utc_s) { return as_utc_s - as_utc_s / 2'000'000'000 * 3'600; },
         .zero_s = zero_s});
    EXPECT_TRUE(specs);
    return specs->front().start_of(1) - start_s;
  };
  EXPECT_EQ(read(1'999'990'000, 0), 86'400 - 3'600);
  EXPECT_EQ(read(1'900'000'000, 0), 86'400);
  EXPECT_EQ(read(10'000, 1'999'980'000), 86'400 - 3'600);
  EXPECT_EQ(read(10'000, 0), 86'400);  // the clock begins at 0
}

TEST(ReservationReader, RefusesWithThePlace) {
  EXPECT_EQ(refusal("{\"name\": \"a\"}\n"), "r:1:1: the reservation has no \"start\"");
  EXPECT_EQ(refusal("\n{\"name\": \"a\", \"start\": 0, \"durations\": 1}\n"),
            "r:2:27: unknown key of a reservation \"durations\"; did you mean \"duration\"?");
  EXPECT_EQ(refusal("{\"name\": \"a\", \"start\": 0, \"duration\": 1}"),
            "r:1:1: the reservation has no nodes: give nodes, a constraint or a shape");
  EXPECT_EQ(refusal("{\"name\": \"a\", \"start\": 0, \"duration\": 1, \"nodes\": \"oak7\"}"),
            "r:1:51: nodes: the machine has no node \"oak7\"");
  EXPECT_EQ(refusal("[{\"name\": \"a\", \"start\": 0, \"duration\": 1, \"nodes\": 1},\n"
                    "{\"name\": \"a\", \"start\": 0, \"duration\": 1, \"nodes\": 1}]"),
            "r:2:10: there is another reservation \"a\"");
  EXPECT_EQ(refusal("{\"name\": \"a\", \"start\": 0, \"duration\": \"2d\", \"nodes\": 1, "
                    "\"repeat\": \"daily\"}"),
            "r:1:1: a reservation that lasts 172800 s cannot be repeated after 86400 s");
  EXPECT_EQ(refusal("{\"name\": \"a\", \"start\": 0, \"duration\": 1, \"nodes\": 1, \"count\": 2}"),
            "r:1:63: \"count\" goes with \"repeat\"");
  EXPECT_EQ(
      refusal("reserve node0"),
      "r:1:1: this is not a JSON object, nor a list of them: \"reserve\" is not a JSON value; "
      "texts need double quotes");
}

}  // namespace
}  // namespace copse::queue
