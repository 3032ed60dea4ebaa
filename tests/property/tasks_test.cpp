// SPDX-License-Identifier: Apache-2.0
//
// Random tasks of jobspecs, right and wrong ones: accepted exactly if the rules of RFC 14 allow each of their
// parts. Fluxion's programs check less: an oracle for each. See seeds.hpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "property/random.hpp"
#include "property/seeds.hpp"
#include "request/jobspec/jobspec_words.hpp"

namespace copse::property {
namespace {

// A value, and who accepts it.
struct Part {
  std::string text;
  bool right = true;    // by RFC 14
  bool fluxion = true;  // where Fluxion's words are used
};
constexpr bool kWrong = false;

Part command(Random& random) {
  if (random.chance(70)) return {"[app, \"a b\"]"};
  return random.pick<Part>({{"[app]"},
                            {"[app, '-n', '3']"},
                            {"[app, \"a b\"]"},
                            {"[]", kWrong, true},
                            {"[app, 3]", kWrong, true},
                            {"[app, [x]]", kWrong, kWrong},
                            {"[{a: b}]", kWrong, kWrong},
                            {"[app, ~]", kWrong, kWrong}});
}

Part number(Random& random) {
  if (random.chance(70)) return {"4"};
  return random.pick<Part>({{"1"},
                            {"17"},
                            {"0", kWrong, kWrong},
                            {"-3", kWrong, kWrong},
                            {"1.5", kWrong, kWrong},
                            {"[]", kWrong, kWrong},
                            {"{}", kWrong, kWrong},
                            {"word", kWrong, kWrong}});
}

Part count(Random& random) {
  const Part many = number(random);
  switch (random.below(12)) {
    case 0: return {"{per_slot: " + many.text + "}", many.right, many.fluxion};
    case 1: return {"{total: " + many.text + "}", many.right, many.fluxion};
    case 2:
      return {"{per_resource: {type: core, count: " + many.text + "}}", many.right, many.fluxion};
    case 3: return {"{per_resource: {type: core}}", kWrong, kWrong};
    case 5:  // the slot has cores only
      return {"{per_resource: {type: gpu, count: " + many.text + "}}", kWrong, many.fluxion};
    case 4: return {"{every: " + many.text + "}", kWrong, kWrong};
    default: return {"{per_slot: " + many.text + "}", many.right, many.fluxion};
  }
}

struct Task {
  std::string text;
  bool right = true, fluxion = true;
};

Task make_task(Random& random) {
  Task task;
  std::vector<std::string> members;
  const auto add = [&](const std::string& key, const Part& part) {
    members.push_back(key + ": " + part.text);
    task.right = task.right && part.right;
    task.fluxion = task.fluxion && part.fluxion;
  };
  add("command", command(random));
  add("slot", random.chance(85) ? Part{"a"} : Part{"b", kWrong, true});
  add("count", count(random));
  if (random.chance(30)) {
    add("distribution",
        random.pick<Part>({{"cyclic"}, {"7", kWrong, true}, {"[]", kWrong, kWrong}}));
  }
  if (random.chance(30)) {
    add("attributes", random.pick<Part>({{"{a: 1}"}, {"7", kWrong, kWrong}}));
  }
  if (random.chance(10)) add("sixth", {"1", kWrong, kWrong});
  random.shuffle(members);
  task.text = "{" + fmt::format("{}", fmt::join(members, ", ")) + "}";
  return task;
}

TEST(OddTasks, AreAcceptedExactlyIfTheyAreRight) {
  std::uint64_t right = 0, wrong = 0, by_fluxion = 0;
  Seeds seeds(70'000'000, 5'000);
  seeds.each([&](std::uint64_t seed) {
    Random random(seed);
    std::string tasks;
    bool own = true, fluxion = true;
    for (std::uint64_t n = 1 + random.below(2); n > 0; --n) {
      const Task task = make_task(random);
      tasks += (tasks.empty() ? "" : ", ") + task.text;
      own = own && task.right;
      fluxion = fluxion && task.fluxion;
    }
    const std::string text =
        "version: 1\nresources: [{type: slot, count: 1, label: a, with: [{type: core, count: "
        "1}]}]\n"
        "tasks: [" +
        tasks + "]\nattributes: {}\n";
    const auto as_own = parse_jobspec(text, "job", JobspecWords::own);
    ASSERT_EQ(as_own.has_value(), own) << text << (as_own ? "" : as_own.error().message());
    const auto as_fluxion = parse_jobspec(text, "job", JobspecWords::fluxion);
    ASSERT_EQ(as_fluxion.has_value(), fluxion)
        << text << (as_fluxion ? "" : as_fluxion.error().message());
    if (!as_own) {
      ASSERT_FALSE(as_own.error().text.empty());
      ASSERT_EQ(as_own.error().text.find('\n'), std::string::npos) << as_own.error().text;
    }
    (own ? right : wrong) += 1;
    by_fluxion += fluxion && !own ? 1 : 0;
  });
  if (!seeds.whole()) return;
  EXPECT_GT(right, seeds.count() / 20);
  EXPECT_GT(wrong, seeds.count() / 4);
  EXPECT_GT(by_fluxion, 0U);
}

}  // namespace
}  // namespace copse::property
