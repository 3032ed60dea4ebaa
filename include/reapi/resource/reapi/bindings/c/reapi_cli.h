/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fluxion's C API (reapi_cli), as Copse's libreapi_cli.so provides it. docs/library/reapi.md describes how to
 * replace Fluxion's library with it, and the differences.
 *
 * All calls that return int: 0, or -1 with errno set. A context that is NULL or was not initialized: EINVAL.
 * The caller frees the texts that it gets (`char **`, and the result of reapi_cli_get_err_msg) with free().
 * The library does not keep the texts that it is passed. Pointers to results may be NULL; `jobspec`, an input `R`
 * and paths may not.
 * The clock of a context is always 0. Times are seconds; `ov` is the time that the match took.
 * Threads: one at a time for a context; different contexts share nothing.
 */
#ifndef REAPI_CLI_H
#define REAPI_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "resource/policies/base/match_op.h"
#include "resource_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct reapi_cli_ctx reapi_cli_ctx_t;

/* NULL: ENOMEM. */
reapi_cli_ctx_t *reapi_cli_new (void);
/* A copy with all that is allocated and reserved, its status and its next job id. */
reapi_cli_ctx_t *reapi_cli_clone (reapi_cli_ctx_t *ctx);
void reapi_cli_destroy (reapi_cli_ctx_t *ctx);

/* `rgraph` is the text of the resource graph, `options` a JSON object: load_format, load_allowlist,
 * matcher_name, matcher_policy, traverser_policy, match_format, prune_filters, reserve_vtx_vec, elapse_time.
 * Without load_format the format is recognized from the text. EPROTO: the message names the step that
 * failed; the context does not change. */
int reapi_cli_initialize (reapi_cli_ctx_t *ctx, const char *rgraph, const char *options);

/* EBUSY: it does not fit now. ENODEV: it can never fit (kinds 2, 3, 4 and 6). EINVAL: the jobspec. */
int reapi_cli_match (reapi_cli_ctx_t *ctx, match_op_t match_op, const char *jobspec, uint64_t *jobid,
                     bool *reserved, char **R, int64_t *at, double *ov);
int reapi_cli_match_with_jobid (reapi_cli_ctx_t *ctx, match_op_t match_op, const char *jobspec,
                                uint64_t jobid, bool *reserved, char **R, int64_t *at, double *ov);
int reapi_cli_match_allocate (reapi_cli_ctx_t *ctx, bool orelse_reserve, const char *jobspec,
                              uint64_t *jobid, bool *reserved, char **R, int64_t *at, double *ov);
/* Not satisfiable: -1 and ENODEV, `*sat` false. */
int reapi_cli_match_satisfy (reapi_cli_ctx_t *ctx, const char *jobspec, bool *sat, double *ov);

/* Allocates the resources of R: Rv1, or JGF alone. EEXIST: the job has an allocation. */
int reapi_cli_update_allocate (reapi_cli_ctx_t *ctx, const uint64_t jobid, const char *R, int64_t *at,
                               double *ov, const char **R_out);

/* JGF from the cluster vertex down. Vertices that already exist do not change. */
int reapi_cli_add_subgraph (reapi_cli_ctx_t *ctx, const char *R_subgraph);
/* A containment path. */
int reapi_cli_remove_subgraph (reapi_cli_ctx_t *ctx, const char *subgraph_path);

/* ENOENT: no such job; with `noent_ok`, the result is 0. */
int reapi_cli_cancel (reapi_cli_ctx_t *ctx, const uint64_t jobid, bool noent_ok);
/* Frees the resources of an allocation that R names: Rv1, or JGF alone. */
int reapi_cli_partial_cancel (reapi_cli_ctx_t *ctx, const uint64_t jobid, const char *R, bool noent_ok,
                              bool *full_removal);

/* `mode`: ALLOCATED, RESERVED or CANCELED. ENOENT: the id never had a grant. */
int reapi_cli_info (reapi_cli_ctx_t *ctx, const uint64_t jobid, char **mode, bool *reserved, int64_t *at,
                    double *ov);
/* `format` NULL: match_format. Nothing found: 0, and `*R` is NULL. */
int reapi_cli_find (reapi_cli_ctx_t *ctx, const char *criteria, const char *format, char **R);
/* Always -1 and ENOSYS, as in Fluxion. */
int reapi_cli_stat (reapi_cli_ctx_t *ctx, int64_t *V, int64_t *E, int64_t *J, double *load, double *min,
                    double *max, double *avg);

/* All messages since the last clear, one on a line; "" if there are none. NULL: ENOMEM. */
const char *reapi_cli_get_err_msg (reapi_cli_ctx_t *ctx);
void reapi_cli_clear_err_msg (reapi_cli_ctx_t *ctx);

int reapi_cli_set_status (reapi_cli_ctx_t *ctx, const char *resource_path, resource_status_t status);
int reapi_cli_get_status (reapi_cli_ctx_t *ctx, const char *resource_path, resource_status_t *status);
/* `ranks`: an idset, or "all". */
int reapi_cli_set_rank_status (reapi_cli_ctx_t *ctx, const char *ranks, resource_status_t status);
/* `rank`: exactly one. */
int reapi_cli_get_rank_status (reapi_cli_ctx_t *ctx, const char *rank, resource_status_t *status);

#ifdef __cplusplus
}
#endif

#endif /* REAPI_CLI_H */
