/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of Fluxion's C API, in the manner of Fluence (Kubernetes). It is built without a change with Fluxion's
 * libreapi_cli.so, or with Copse's:
 *
 *   cc -std=c11 fluence.c -o fluence $(pkg-config --cflags --libs copse-reapi)
 *   fluence examples/machines/desk.graphml examples/jobspecs/desk-whole-node.yaml
 */
#include <stdio.h>

#include "resource/reapi/bindings/c/reapi_cli.h"

static char *read_all (const char *path)
{
  static char texts[2][1 << 20];
  static int used = 0;
  char *text = texts[used++ % 2];
  FILE *file = fopen (path, "r");
  if (file == NULL) return NULL;
  text[fread (text, 1, sizeof texts[0] - 1, file)] = '\0';
  fclose (file);
  return text;
}

int main (int argc, char **argv)
{
  const char *graph = argc == 3 ? read_all (argv[1]) : NULL;
  const char *jobspec = argc == 3 ? read_all (argv[2]) : NULL;
  reapi_cli_ctx_t *ctx = reapi_cli_new ();
  uint64_t job = 0;
  bool reserved = false;
  char *r = NULL, *mode = NULL;
  int64_t at = 0;
  double took = 0;
  if (graph == NULL || jobspec == NULL) {
    fprintf (stderr, "usage: fluence MACHINE JOBSPEC\n");
    return 2;
  }
  if (reapi_cli_initialize (ctx, graph, "{\"matcher_policy\": \"lonode\"}") == 0
      && reapi_cli_match_allocate (ctx, false, jobspec, &job, &reserved, &r, &at, &took) == 0
      && reapi_cli_cancel (ctx, job, true) == 0
      && reapi_cli_info (ctx, job, &mode, &reserved, &at, &took) == 0) {
    printf ("%sjob %d is %s\n", r, (int)job, mode);
  } else {
    fprintf (stderr, "fluence: %s\n", reapi_cli_get_err_msg (ctx));
    return 1;
  }
  free (r);
  free (mode);
  reapi_cli_destroy (ctx);
  return 0;
}
