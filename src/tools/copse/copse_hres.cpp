// SPDX-License-Identifier: Apache-2.0
//
// copse supply: the layers of hierarchical resources, and their use.
#include <memory>

#include <fmt/format.h>

#include "draw/supply_svg.hpp"
#include "files/read_file.hpp"
#include "formats/hres/supply_table.hpp"
#include "session/session.hpp"
#include "text/text_lines.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct SupplyOptions {
  MachineSetup setup;
  std::string resource, after, out;
  std::optional<std::int64_t> at;  // none: now
  bool json = false, svg = false;
};

// Sends the lines of a file to a session. Refused lines are reported, and have no effect.
Result<bool> take_lines(Session& session, const std::string& file) {
  auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  TextLines lines(*text);
  bool all = true;
  std::string answer;
  for (std::string_view line; lines.next(line);) {
    if (without_blanks(line).empty()) continue;
    answer.clear();
    const bool goes_on = session.answer(line, answer);
    if (answer.starts_with("{\"error\"")) {
      all = false;
      write_error(fmt::format("copse: {}:{}: {}", file, lines.number(), answer));
    }
    if (!goes_on) break;
  }
  return all;
}

// The layers of one resource are adjacent.
Result<draw::SupplyPicture> picture_of(std::span<const LayerView> all, const std::string& resource,
                                       std::int64_t at) {
  std::size_t begin = 0;
  while (begin < all.size() && !resource.empty() && all[begin].resource != resource) ++begin;
  std::size_t end = begin;
  while (end < all.size() && (resource.empty() || all[end].resource == resource)) ++end;
  if (begin == end && !resource.empty()) {
    return fail(ErrorCode::not_found, fmt::format("there is no resource '{}'", resource));
  }
  return draw::SupplyPicture{all.subspan(begin, end - begin), begin, at};
}

int run_supply(const SupplyOptions& o) {
  auto session = open_session(o.setup, {}, {});
  if (!session) return unusable(session.error());
  bool all = true;
  if (!o.after.empty()) {
    auto taken = take_lines(*session, o.after);
    if (!taken) return unusable(taken.error());
    all = *taken;
  }
  const Engine& engine = session->engine();
  const std::int64_t now = engine.now(), at = o.at.value_or(now);
  if (at < now || at >= engine.options().horizon) {
    return unusable(
        {ErrorCode::invalid,
         fmt::format("--at must be between now ({}) and {}", now, engine.options().horizon),
         {}});
  }
  const std::vector<LayerView> layers = engine.layers(at);
  auto shown = picture_of(layers, o.resource, at);
  if (!shown) return unusable(shown.error());
  std::string out;
  if (o.svg) {
    if (!shown->layers.empty() && shown->layers.front().resource != shown->layers.back().resource) {
      return unusable({ErrorCode::invalid, "--svg draws one resource: name it", {}});
    }
    if (auto ok = draw::write_supply_svg(*shown, out); !ok) return unusable(ok.error());
  } else {
    o.json ? append_supply_json(out, shown->layers) : append_supply_table(out, shown->layers);
  }
  return write_text(out, o.out, all ? kDone : kNo);
}

}  // namespace

void add_hres(CommandLine& line) {
  auto o = std::make_shared<SupplyOptions>();
  CommandLine sub = line.command(
      "supply", "Show the layers of hierarchical resources, and how much of them is used",
      "Exit status: 0 shown, 1 shown, but lines of --after were refused, 2 the "
      "machine or the file of resources cannot be used.\n"
      "Examples:\n"
      "  copse supply -L machine.json --hres resources.yaml\n"
      "  copse supply -L machine.json --hres resources.yaml --after requests.jsonl "
      "--at 600 power\n"
      "  copse supply -L machine.json --hres resources.yaml --svg -o power.svg "
      "power",
      [o] { return run_supply(*o); });
  add_machine_options(sub, o->setup, true);
  sub.added("--hres").required();
  sub.option("resource", o->resource, "only this resource").unit("NAME");
  sub.option("--after", o->after,
             "show the layers after these requests, which are lines of copse session")
      .reads_file();
  sub.time("--at", o->at,
           "show the layers as planned for this time of the machine's clock, such as 600 or 10m "
           "(default: now)")
      .of_a_day("a duration such as 10m");
  const auto json = sub.flag("--json", o->json, "print one object of JSON per line");
  sub.flag("--svg", o->svg, "draw the layers of one resource, as SVG").excludes(json);
  sub.option("-o,--output", o->out, "the file to write (default: standard output)").writes_file();
}

}  // namespace copse
