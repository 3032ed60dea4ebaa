/* SPDX-License-Identifier: Apache-2.0 */
/* include/copse.h in plain C: each initializer, and one call. Returns 0 if all is well. */
#include "copse.h"

int copse_from_c (void);

int copse_from_c (void)
{
  copse_error error = COPSE_ERROR_INIT;
  copse_machine_options machine = COPSE_MACHINE_OPTIONS_INIT;
  copse_engine_options engine = COPSE_ENGINE_OPTIONS_INIT;
  copse_engine_info info = COPSE_ENGINE_INFO_INIT;
  copse_request_options request = COPSE_REQUEST_OPTIONS_INIT;
  copse_result result = COPSE_RESULT_INIT;
  copse_layer_reservation layer = COPSE_LAYER_RESERVATION_INIT;
  copse_sink sink = COPSE_SINK_INIT;
  copse_queue_options queue = COPSE_QUEUE_OPTIONS_INIT;
  copse_job job = COPSE_JOB_INIT;
  copse_decision decision = COPSE_DECISION_INIT;
  copse_queue_info counts = COPSE_QUEUE_INFO_INIT;
  const size_t sizes = machine.size + engine.size + info.size + request.size + result.size + layer.size + sink.size
                       + queue.size + job.size + decision.size + counts.size;
  if (sizes == 0 || job.duration != -1 || engine.traverser != COPSE_LOOP_AWARE) return 1;
  if (copse_machine_free (NULL) != COPSE_BAD_HANDLE) return 2;
  if (copse_engine_new (NULL, &engine, NULL, &error) != COPSE_BAD_HANDLE) return 3;
  return error.code == COPSE_BAD_HANDLE ? 0 : 4;
}
