// SPDX-License-Identifier: Apache-2.0
//
// match/compile/xor_slots.hpp: the variants, their order, and the bound on their number.
#include "match/compile/xor_slots.hpp"

#include "engine/jobs.hpp"

namespace copse {
namespace {

std::string words(const std::vector<Resource>& list) {
  std::string out;
  for (const Resource& r : list) {
    if (!out.empty()) out += ' ';
    out += r.type + std::to_string(r.count.min);
    if (!r.with.empty()) out += '(' + words(r.with) + ')';
  }
  return out;
}

std::vector<std::string> variants(const std::string& resources) {
  const auto request = parse_jobspec(job(resources));
  EXPECT_TRUE(request) << (request ? "" : request.error().message());
  const auto lists = xor_variants(request->resources);
  if (!lists) return {lists.error().text};
  std::vector<std::string> out;
  for (const auto& list : *lists) out.push_back(words(list));
  return out;
}

using Lines = std::vector<std::string>;

TEST(XorSlots, OneOfAList) {
  EXPECT_EQ(variants(xor_slot("2", res("core")) + ", " + xor_slot("1", res("gpu"))),
            (Lines{"slot2(core1)", "slot1(gpu1)"}));
}

TEST(XorSlots, BehindWhatIsAlwaysThere) {
  EXPECT_EQ(
      variants(xor_slot("1", res("core")) + ", " + res("pdu") + ", " + xor_slot("1", res("gpu"))),
      (Lines{"pdu1 slot1(core1)", "pdu1 slot1(gpu1)"}));
}

TEST(XorSlots, ChoicesBelowVaryLast) {
  EXPECT_EQ(
      variants(xor_slot("1", res("socket", "1",
                                 xor_slot("1", res("core")) + ", " + xor_slot("2", res("gpu")))) +
               ", " + xor_slot("3", res("node"))),
      (Lines{"slot1(socket1(slot1(core1)))", "slot1(socket1(slot2(gpu1)))", "slot3(node1)"}));
  EXPECT_EQ(
      variants(res("node", "1", xor_slot("1", res("core")) + ", " + xor_slot("2", res("gpu"))) +
               ", " + xor_slot("1", res("pdu")) + ", " + xor_slot("2", res("pdu"))),
      (Lines{"node1(slot1(core1)) slot1(pdu1)", "node1(slot1(core1)) slot2(pdu1)",
             "node1(slot2(gpu1)) slot1(pdu1)", "node1(slot2(gpu1)) slot2(pdu1)"}));
}

TEST(XorSlots, WithoutThereIsOneVariant) {
  EXPECT_EQ(variants(slot("1", res("core")) + ", " + slot("1", res("gpu"))),
            (Lines{"slot1(core1) slot1(gpu1)"}));
}

std::string repeated(const std::string& one, int times) {
  std::string out = one;
  for (int i = 1; i < times; ++i) out += ", " + one;
  return out;
}

TEST(XorSlots, AtMostAThousandVariants) {
  const std::string ten = repeated(xor_slot("1", res("core")), 10);
  std::string list;
  for (const char* type : {"rack", "node", "socket"}) {
    list += res(type, "1", ten) + ", ";
  }
  list.resize(list.size() - 2);
  EXPECT_EQ(variants(list).size(), 1'000U);
  const std::string refused =
      "select: split_xor_slots failed: the xor_slots make more than 1000 variants of the request";
  EXPECT_EQ(variants(list + ", " + res("pdu", "1", repeated(xor_slot("1", res("core")), 2))),
            Lines{refused});
  EXPECT_EQ(variants(repeated(xor_slot("1", res("core")), 1'001)), Lines{refused});
  // A product that exceeds 64 bits.
  std::string many = res("a", "1", ten);
  for (int i = 0; i < 40; ++i) many += ", " + res("a", "1", ten);
  EXPECT_EQ(variants(many), Lines{refused});
}

TEST(XorSlots, AndNotTooLargeOnes) {
  const std::string list = repeated(xor_slot("1", repeated(res("core"), 4)), 500);
  EXPECT_EQ(variants(list), (Lines{"select: split_xor_slots failed: the 500 variants of the "
                                   "request could have more than 200000 vertices"}));
}

}  // namespace
}  // namespace copse
