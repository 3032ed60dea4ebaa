/* SPDX-License-Identifier: Apache-2.0 */
/* The headers in plain C, as a client includes them. */
#include "resource/reapi/bindings/c/reapi_cli.h"

int reapi_from_c (void);

int reapi_from_c (void)
{
  struct reapi_cli_ctx *ctx = reapi_cli_new ();
  resource_status_t status = RESOURCE_DOWN;
  match_op_t op = MATCH_ALLOCATE;
  uint64_t id = 0;
  bool reserved = false;
  const int refused = reapi_cli_match (ctx, op, "", &id, &reserved, NULL, NULL, NULL);
  reapi_cli_destroy (ctx);
  return refused == -1 && status == RESOURCE_DOWN ? 0 : 1;
}
