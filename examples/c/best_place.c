/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in C that uses the library: it reads a machine, starts a job as often as it fits now, and says
 * when it fits next.
 *
 *   best_place examples/machines/desk.graphml 'slot=1/[core=2;gpu=1]'
 */
#include <stdio.h>

#include <copse.h>

int main (int argc, char **argv)
{
  copse_error error = COPSE_ERROR_INIT;
  copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
  copse_request_options hour = COPSE_REQUEST_OPTIONS_INIT;
  copse_result result = COPSE_RESULT_INIT;
  copse_machine *machine = NULL;
  copse_engine *engine = NULL;
  copse_request *request = NULL;
  how.policy = "low";
  hour.duration = 3600;
  if (argc == 3 && copse_machine_load (argv[1], NULL, &machine, &error) == COPSE_OK
      && copse_engine_new (machine, &how, &engine, &error) == COPSE_OK
      && copse_request_shape (engine, argv[2], &hour, &request, &error) == COPSE_OK) {
    for (uint64_t job = 1; result.start == 0; ++job) {
      if (copse_match (engine, COPSE_ALLOCATE_ORELSE_RESERVE, request, job, "rv1_nosched", &result, &error)
          != COPSE_OK)
        break;
      printf ("job %d, from %d s: %s", (int)job, (int)result.start, result.text);
      copse_free (result.text);
    }
  }
  if (error.code != COPSE_OK) fprintf (stderr, "best_place: %s\n", error.text);
  copse_request_free (request);
  copse_engine_free (engine);
  copse_machine_free (machine);
  return error.code == COPSE_OK && argc == 3 ? 0 : 2;
}
