// SPDX-License-Identifier: Apache-2.0
//
// The documents of the page, and the page as one file.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "page/assets.hpp"
#include "page/exact.hpp"
#include "page/machine_document.hpp"
#include "page/page_file.hpp"
#include "page/page_jobs.hpp"
#include "paths.hpp"
#include "request/hres.hpp"

namespace copse::page {

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(source_dir() + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<Engine> desk() {
  auto graph = read_machine(text_of("examples/machines/desk.graphml"), {.file = "desk.graphml"});
  EXPECT_TRUE(graph.has_value());
  auto engine = Engine::create(std::move(*graph), {.policy = *find_policy("low")});
  EXPECT_TRUE(engine.has_value());
  return std::move(*engine);
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++out;
  return out;
}

std::string page_of(const std::string& title, const std::vector<Document>& documents) {
  std::string out;
  EXPECT_TRUE(write_page_file(title, documents, sink_into(out)).has_value());
  return out;
}

TEST(PageAssets, HaveNamesInOrderAndTheBytesOfTheFiles) {
  const auto all = page_assets();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &PageAsset::name));
  EXPECT_EQ(page_asset("style.css"), text_of("src/page/web/style.css"));
  EXPECT_EQ(page_asset("page.js").find("\nimport "), std::string_view::npos);
  EXPECT_EQ(page_asset("page.js").find("\nexport "), std::string_view::npos);
}

TEST(PageFile, NothingButItsOwnCodeMayRun) {
  const std::string page = page_of("t", {{"about", "{}"}});
  const std::string_view sums = page_asset("page.sums");
  for (std::size_t at = sums.find("sha256-"); at != sums.npos; at = sums.find("sha256-", at + 1)) {
    const std::string_view sum = sums.substr(at, sums.find('\n', at) - at);
    EXPECT_EQ(sum.size(), 7U + 44);
    EXPECT_EQ(count_of(page, "'" + std::string(sum) + "'"), 1U);
  }
  EXPECT_EQ(count_of(page, "default-src 'none'"), 1U);
  EXPECT_EQ(count_of(page, "unsafe"), 0U);
  EXPECT_EQ(count_of(page, " src=\""), 0U);
  EXPECT_EQ(count_of(page, "<link"), 0U);
}

TEST(PageFile, NoTextEndsItsBlock) {
  const std::string evil = "</script><script>alert(1)</script><!--";
  std::string about;
  append_about_document(about, {.kind = "plan", .title = evil});
  const std::string page = page_of(evil, {{"about", about}}),
                    other = page_of("t", {{"about", "{}"}});
  EXPECT_EQ(count_of(page, "</script>"), count_of(other, "</script>"));
  EXPECT_EQ(count_of(page, "<script"), count_of(other, "<script"));
  EXPECT_EQ(count_of(page, "alert(1"), 2U);
  EXPECT_NE(page.find("\\u003c/script>\\u003cscript>alert"), page.npos);
}

TEST(PageFile, SinkThatRefusesIsAnError) {
  EXPECT_FALSE(write_page_file("t", {}, [](std::string_view) { return false; }).has_value());
}

TEST(PageDocuments, IntegersThatNoDoubleHasAreText) {
  std::string out;
  JsonWriter json(out);
  json.open('[');
  append_exact(json, kExactMax);
  append_exact(json, kExactMax + 1);
  append_exact(json, -kExactMax - 1);
  append_exact(json, std::optional<std::int64_t>{});
  json.close(']');
  EXPECT_EQ(out, R"([9007199254740991, "9007199254740992", "-9007199254740992", null])");
}

TEST(PageDocuments, EqualNodesAreWrittenOnce) {
  const auto engine = desk();
  std::string out;
  append_machine_document(out, engine->graph(), NodeRows(engine->graph()));
  EXPECT_NE(
      out.find(
          R"("name": ["node0", "node1", "node2", "node3"], "frame": [1, 1, 1, 1], "inside": [0, 0, 0, 0])"),
      out.npos)
      << out;
  EXPECT_EQ(count_of(out, "\"socket0\""), 1U);
}

TEST(PageDocuments, NodesBelowWhatIsDownAreDown) {
  const auto engine = desk();
  const ResourceGraph& graph = engine->graph();
  const NodeRows rows(graph);
  std::string before, after;
  append_status_document(before, *engine, rows);
  engine->set_status(graph.parent(rows.pool(0)), Status::down);
  append_status_document(after, *engine, rows);
  EXPECT_EQ(before, R"({"format": 1, "nodes": "uuuu"})");
  EXPECT_EQ(after, R"({"format": 1, "nodes": "dddd"})");
}

TEST(PageDocuments, GrantsHaveTheirPoolsByPosition) {
  const auto engine = desk();
  const NodeRows rows(engine->graph());
  auto request = engine->prepare(text_of("examples/jobspecs/desk-prefix-omitted.yaml"), "job.yaml");
  ASSERT_TRUE(request.has_value());
  ASSERT_TRUE(engine->match(Operation::allocate, **request, 9007199254740993).has_value());
  PageJobs jobs;
  ASSERT_TRUE(add_grants(jobs, *engine, rows).has_value());
  ASSERT_EQ(jobs.jobs.size(), 1U);
  EXPECT_EQ(jobs.jobs[0].id, "9007199254740993");
  ASSERT_EQ(jobs.runs.size(), 1U);
  EXPECT_EQ(jobs.runs[0].cores, 2);
  EXPECT_EQ(jobs.runs[0].end_s, 3600);
  ASSERT_EQ(jobs.places.size(), 1U);
  ASSERT_EQ(jobs.parts.size(), 1U);

  // These positions are of cores.
  const auto positions = Idset::parse(jobs.words.words()[jobs.parts[0].pools]);
  ASSERT_TRUE(positions.has_value());
  std::size_t cores = 0;
  const PoolId node = rows.pool(jobs.parts[0].node);
  for (std::uint32_t v = node.v + 1; v < engine->graph().end(node).v; ++v) {
    if (!positions->contains(v - node.v - 1)) continue;
    EXPECT_EQ(engine->graph().type_name(PoolId{v}), "core");
    ++cores;
  }
  EXPECT_EQ(cores, 2U);
  std::string out;
  append_jobs_document(out, jobs);
  EXPECT_NE(out.find(R"("id": ["9007199254740993"])"), out.npos) << out;
}

// Layers keep their numbers, also when an earlier one is removed; charges use them.
//
TEST(PageDocuments, DrawsNameLayersByTheirNumbers) {
  const auto engine = desk();
  const auto layer = [](const char* nodes, std::int64_t count) {
    return LayerSpec{
        .nodes = {{nodes, {}}}, .count = count, .bases = {}, .place = {}, .count_place = {}};
  };
  const auto resource = [](const char* name, std::vector<LayerSpec> layers) {
    ResourceSpec out;
    out.name = name;
    out.mode = 2;
    out.layers = std::move(layers);
    return out;
  };
  HresSpec spec;
  spec.resources.push_back(resource("first", {layer("node[0-3]", 3)}));
  spec.resources.push_back(resource("flat", {layer("node[0-3]", 10), layer("node[0-1]", 4)}));
  ASSERT_TRUE(engine->add_resources(spec).has_value());
  const auto shares = parse_hres_shares("flat:2");
  ASSERT_TRUE(shares.has_value());
  const auto draw = engine->charges_of(*shares);
  ASSERT_TRUE(draw.has_value());
  const NodeRows rows(engine->graph());
  const std::vector<PoolId> pools{rows.pool(0)};
  ASSERT_TRUE(engine->update(1, pools, 0, 50, *draw).has_value());
  ASSERT_TRUE(engine->remove_layer("first", "node[0-3]").has_value());
  ASSERT_TRUE(engine
                  ->reserve_layer({.id = "course",
                                   .resource = "flat",
                                   .nodes = "node[0-1]",
                                   .count = 2,
                                   .start = 100,
                                   .end = 200,
                                   .jobs = {9}})
                  .has_value());
  PageJobs jobs;
  ASSERT_TRUE(add_grants(jobs, *engine, rows).has_value());
  std::string out, layers;
  append_jobs_document(out, jobs);
  EXPECT_NE(out.find(R"("draws": {"run": [0, 0], "layer": [1, 2], "amount": [2, 2]})"), out.npos)
      << out;
  append_layers_document(layers, *engine, 0);
  EXPECT_NE(layers.find(R"({"number": 1, "resource": "flat", "nodes": "node[0-3]")"), layers.npos)
      << layers;
  EXPECT_NE(layers.find(R"({"number": 2, "resource": "flat", "nodes": "node[0-1]")"), layers.npos);
  EXPECT_NE(layers.find(R"("kept": {"layer": [2, 2], "time": [100, 200], "amount": [2, 0]})"),
            layers.npos)
      << layers;
}

}  // namespace

}  // namespace copse::page
