// SPDX-License-Identifier: Apache-2.0
#include "host/queue_choice.hpp"

#include <utility>

#include "base/known_key.hpp"
#include "files/read_file.hpp"
#include "formats/slurm/queues/slurm_queues.hpp"
#include "formats/slurm/slurm_conf.hpp"
#include "host/load_machine.hpp"
#include "host/plugins.hpp"

namespace copse {

Result<queue::QueueConfig> chosen_queues(const QueueChoice& choice) {
  if (!choice.file.empty()) {
    auto text = read_input(choice.file);
    if (!text) return std::unexpected(text.error());
    const bool of_slurm = looks_like_slurm_conf(*text);
    if (of_slurm) {
      auto queues =
          slurm_queues_toml(*text, input_name(choice.file), files_in_folder_of(choice.file));
      if (!queues) return std::unexpected(queues.error());
      *text = std::move(*queues);
    }
    const auto own = disciplines_of_environment();
    if (!own) return std::unexpected(own.error());
    auto config = queue::read_queue_config(*text, input_name(choice.file), *own);
    // Lines of the text that was made of it are none of the file.
    if (!config && of_slurm) config.error().place = {input_name(choice.file)};
    if (config && !config->unknown_tables.empty()) {
      const auto& [table, place] = config->unknown_tables.front();
      return fail(ErrorCode::invalid, unknown_key("table", table, queue::kQueueTables), place);
    }
    if (!config || config->stated) return config;
    return fail(ErrorCode::invalid, "the file has neither a table queues nor a table sched-copse",
                {input_name(choice.file), 0, 0});
  }
  auto discipline = choose_discipline(choice.discipline);
  if (!discipline) return std::unexpected(discipline.error());
  queue::QueueConfig out{.queues = {{.discipline = std::move(*discipline)}}};
  if (choice.priority.empty()) return out;
  auto rule = queue::find_priority_rule(choice.priority);
  if (!rule) return std::unexpected(rule.error());
  out.rule = std::move(*rule);
  return out;
}

}  // namespace copse
