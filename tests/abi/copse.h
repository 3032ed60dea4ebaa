/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copse in C: a machine, the jobs that run on it, and a queue of waiting jobs. Link with -lcopse.
 *
 *   copse_machine *machine; copse_engine *engine; copse_request *request; copse_result result = COPSE_RESULT_INIT;
 *   copse_machine_load ("desk.graphml", NULL, &machine, NULL);
 *   copse_engine_new (machine, NULL, &engine, NULL);
 *   copse_request_shape (engine, "slot=1/core=4", NULL, &request, NULL);
 *   if (copse_match (engine, COPSE_ALLOCATE, request, 1, "rv1_nosched", &result, NULL) == COPSE_OK) puts (result.text);
 *
 * examples/c has a complete program. docs/library/c.md is the guide.
 *
 * Errors     Every function returns a code, COPSE_OK on success. If `error` is not NULL, a failure fills
 *            it: code, one sentence, line and column in the text. A failed call changes nothing, unless its
 *            comment says otherwise. Outputs are written on success only.
 * Handles    Opaque: the pointer is a number, not an address. Every function checks the handles that it
 *            gets. NULL, freed, foreign and invented handles give COPSE_BAD_HANDLE. At most 1,000,000
 *            handles exist at a time.
 * Structs    Each begins with its size: initialize it with the COPSE_..._INIT of its name. Later versions
 *            add members at the end. Programs compiled with an older header go on working.
 * Texts in   `length` bytes, or COPSE_TERMINATED for a text that ends with a zero byte. Names and other
 *            words always end with one. The library keeps no pointer that it gets, except for sinks.
 * Texts out  Allocated; the caller frees them with copse_free(). They end with a zero byte, which
 *            `length` does not count. `length` may be NULL.
 * Units      Times are whole seconds of the engine's clock. A duration of 0 has no end. Amounts are units of
 *            a pool: cores, GPUs, gigabytes.
 * Jobs       Numbers that the caller chooses; 0 is no job.
 * Threads    Any thread may call. A handle that another thread uses gives COPSE_BUSY at once; so does a
 *            handle that its own sink uses. Different handles do not wait for each other. An engine is in
 *            use while its queue is in use.
 * Cost       In addition to the engine's cost (docs/performance.md), a call costs some 50 ns.
 */
#ifndef COPSE_H
#define COPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In C++ too, an enumeration may then have any number. */
#ifdef __cplusplus
#define COPSE_ENUM(name) enum name : unsigned int
#else
#define COPSE_ENUM(name) enum name
#endif

/* --- Errors ------------------------------------------------------------------------------------ */

typedef COPSE_ENUM (copse_code) {
  COPSE_OK = 0,
  COPSE_INVALID = 1,      /* the input breaks a rule, which the sentence names */
  COPSE_LIMIT = 2,        /* the input exceeds a bound */
  COPSE_NOT_FOUND = 3,    /* a path, job, file or name does not exist */
  COPSE_EXISTS = 4,       /* a name or job already exists */
  COPSE_INSUFFICIENT = 5, /* not now; the request would fit the empty machine */
  COPSE_INFEASIBLE = 6,   /* never: the request does not fit even the empty machine */
  COPSE_UNSUPPORTED = 7,  /* valid, but not supported by this version */
  COPSE_IO = 8,           /* the operating system reported an error for a file */
  COPSE_BAD_HANDLE = 9,   /* NULL, freed, of another kind, or never a handle */
  COPSE_BUSY = 10,        /* in use by another thread, by its own sink or by a queue */
  COPSE_NO_MEMORY = 11,
  COPSE_INTERNAL = 12     /* a defect of Copse; handles of this call may be unusable */
} copse_code;

typedef struct copse_error {
  size_t size;
  copse_code code;
  uint32_t line, column; /* in the text, from 1; 0: unknown */
  char file[256];        /* as the caller named it; truncated if longer */
  char text[1024];       /* one sentence; truncated if longer */
} copse_error;
#define COPSE_ERROR_INIT {sizeof (copse_error), COPSE_OK, 0, 0, {0}, {0}}

/* A stable word for a code, such as "insufficient"; "unknown" for other numbers. Never freed. */
const char *copse_word (copse_code code);
/* "0.2.0". Never freed. */
const char *copse_version (void);
/* Frees memory that a function allocated for the caller. NULL is allowed. */
void copse_free (void *memory);

#define COPSE_TERMINATED SIZE_MAX

/* --- Machines ---------------------------------------------------------------------------------- */

/* A machine as it was read. It never changes; the engines made from it share it. */
typedef struct copse_machine copse_machine;

typedef struct copse_machine_options {
  size_t size;
  const char *format;    /* grug, jgf, rv1exec, hwloc, slurm_conf, slurm_nodes; NULL: recognized from the text */
  const char *file;      /* the text's name in messages; NULL: none */
  const char *allowlist; /* hwloc: the types to keep, separated by commas; NULL: all */
  const char *subsystem; /* the subsystem to match; NULL: containment */
  bool layouts;          /* read an R's locality domains, for COPSE_TREEPOOL */
  const char *divisible; /* types, separated by commas, whose pools several jobs share; NULL: those of the file */
} copse_machine_options;
#define COPSE_MACHINE_OPTIONS_INIT {sizeof (copse_machine_options), NULL, NULL, NULL, NULL, false, NULL}

/* Reads a machine from a file (gzip too) or a folder of hwloc topologies. Formats: docs/reference/formats.md.
 * Errors: IO, LIMIT, INVALID with line and column, UNSUPPORTED (the format). O(text + pools). */
copse_code copse_machine_load (const char *path, const copse_machine_options *options,
                               copse_machine **machine, copse_error *error);
/* Reads a machine from memory. Errors and cost: as above. */
copse_code copse_machine_read (const char *text, size_t length, const copse_machine_options *options,
                               copse_machine **machine, copse_error *error);
/* Writes the machine as JGF. O(pools · depth). */
copse_code copse_machine_write (copse_machine *machine, char **text, size_t *length,
                                copse_error *error);
/* Counts the pools and units of a type; NULL: of all types. Both are 0 if there are none. O(pools). */
copse_code copse_machine_count (copse_machine *machine, const char *type, uint64_t *pools,
                                uint64_t *units, copse_error *error);
copse_code copse_machine_free (copse_machine *machine);

/* --- Engines ----------------------------------------------------------------------------------- */

/* A machine with its grants: the jobs that run on it and the reservations. */
typedef struct copse_engine copse_engine;

typedef COPSE_ENUM (copse_traverser) {
  COPSE_SIMPLE = 0,     /* one walk, as Fluxion's */
  COPSE_FLEXIBLE = 1,   /* sibling slots are alternatives */
  COPSE_LOOP_AWARE = 2, /* simple, then a search if that finds nothing */
  COPSE_TREEPOOL = 3    /* RFC 49; the machine must have been read with `layouts` */
} copse_traverser;

typedef struct copse_engine_options {
  size_t size;
  const char *policy;        /* docs/reference/policies.md, also a plugin: ./own.so; NULL: first */
  const char *prune_filters; /* NULL: ALL:core,ALL:node */
  const char *auxiliary;     /* subsystems whose capacities are charged, separated by commas; NULL: none */
  int64_t now;               /* the clock's time */
  int64_t horizon;           /* the clock's end; 0: a hundred years from now */
  copse_traverser traverser;
  bool counts_nodes_first; /* under a constraint, decides "never" or "not now" as Fluxion does */
} copse_engine_options;
#define COPSE_ENGINE_OPTIONS_INIT \
  {sizeof (copse_engine_options), NULL, NULL, NULL, 0, 0, COPSE_LOOP_AWARE, false}

/* Errors: NOT_FOUND (policy, subsystem), INVALID (prune filters, times). O(pools). */
copse_code copse_engine_new (copse_machine *machine, const copse_engine_options *options,
                             copse_engine **engine, copse_error *error);
/* Its requests stay valid handles, but match nothing. An engine with a queue lives as long as the queue. */
copse_code copse_engine_free (copse_engine *engine);
/* Makes a second engine in the same state. A request belongs to one engine and is not cloned. Cost: parts
 * are copied when one of the engines changes them; the machine is shared. */
copse_code copse_engine_clone (copse_engine *engine, copse_engine **clone, copse_error *error);
/* Writes the whole state as bytes, and reads it. Later versions read what earlier versions saved. The
 * loaded engine gives the same answers. Errors of load: INVALID (damaged), UNSUPPORTED (saved by a later
 * version), LIMIT, NOT_FOUND (its policy). O(machine + grants). */
copse_code copse_engine_save (copse_engine *engine, char **bytes, size_t *length,
                              copse_error *error);
copse_code copse_engine_load (const char *bytes, size_t length, copse_engine **engine,
                              copse_error *error);
/* A hash of the state: equal states have equal fingerprints. O(pools + grants). */
copse_code copse_engine_fingerprint (copse_engine *engine, uint64_t *fingerprint,
                                     copse_error *error);

typedef struct copse_engine_info {
  size_t size;
  int64_t now, horizon;
  uint64_t grants; /* running and reserved jobs */
  uint64_t pools;
  uint64_t bytes; /* memory of machine and state */
} copse_engine_info;
#define COPSE_ENGINE_INFO_INIT {sizeof (copse_engine_info), 0, 0, 0, 0, 0}
copse_code copse_engine_describe (copse_engine *engine, copse_engine_info *info,
                                  copse_error *error);
/* Advances the clock. Grants that end by then are removed; reservations that start by then run. Errors:
 * INVALID (an earlier time, or one after the horizon). */
copse_code copse_advance (copse_engine *engine, int64_t time, copse_error *error);

/* --- Requests ---------------------------------------------------------------------------------- */

/* A request compiled for one engine. It can be matched any number of times. */
typedef struct copse_request copse_request;

typedef struct copse_request_options {
  size_t size;
  const char *file;       /* the text's name in messages */
  int64_t duration;       /* for a shape; 0: no end */
  const char *constraint; /* for a shape: RFC 31, as JSON; NULL: none */
  const char *hres;       /* for a shape: hierarchical resources, "flat:2"; NULL: none */
} copse_request_options;
#define COPSE_REQUEST_OPTIONS_INIT {sizeof (copse_request_options), NULL, 0, NULL, NULL}

/* Compiles a jobspec, YAML or JSON (docs/reference/jobspecs.md). Errors: INVALID with line and column,
 * LIMIT, NOT_FOUND (a type that the machine does not have). O(text); with a constraint, O(text + nodes). */
copse_code copse_request_new (copse_engine *engine, const char *text, size_t length,
                              const copse_request_options *options, copse_request **request,
                              copse_error *error);
/* Compiles a shape, "slot=4/node=2{x}/[core=8;gpu]" (RFC 46). */
copse_code copse_request_shape (copse_engine *engine, const char *shape,
                                const copse_request_options *options, copse_request **request,
                                copse_error *error);
/* Changes the duration. O(1). */
copse_code copse_request_set_duration (copse_request *request, int64_t duration,
                                       copse_error *error);
copse_code copse_request_free (copse_request *request);

/* --- Matches ----------------------------------------------------------------------------------- */

typedef COPSE_ENUM (copse_operation) {
  COPSE_ALLOCATE = 0,                     /* now, or not at all */
  COPSE_ALLOCATE_WITH_SATISFIABILITY = 1, /* the same; a failure says "never" or "not now" */
  COPSE_ALLOCATE_ORELSE_RESERVE = 2,      /* now, or at the earliest time */
  COPSE_SATISFIABILITY = 3,               /* does it fit the empty machine? */
  COPSE_WITHOUT_ALLOCATING = 4,           /* the match of ALLOCATE, without a grant */
  COPSE_WITHOUT_ALLOCATING_FUTURE = 5     /* the match of ALLOCATE_ORELSE_RESERVE, without a grant */
} copse_operation;

typedef struct copse_result {
  size_t size;
  int64_t start, end; /* a start after the engine's time: a reservation */
  int64_t slots;      /* 1 if the request has no slot */
  uint64_t visits;    /* pools visited */
  char *text;         /* the selection, in the requested format; the caller frees it */
  size_t text_length;
} copse_result;
#define COPSE_RESULT_INIT {sizeof (copse_result), 0, 0, 0, 0, NULL, 0}

/* Matches a request and grants the selection to `job`. `format`: simple, pretty_simple, jgf,
 * jgf_shorthand, rlite, rv1, rv1_nosched, rv1_shorthand; NULL: no text. `result` may be NULL.
 * Errors: INSUFFICIENT; INFEASIBLE (operations with satisfiability); EXISTS (the job has a grant);
 * INVALID (the duration; or the format can name nothing of the selection: then nothing is granted). */
copse_code copse_match (copse_engine *engine, copse_operation operation, copse_request *request,
                        uint64_t job, const char *format, copse_result *result,
                        copse_error *error);
/* Grants at the earliest time in [from, before) at which the request fits. Errors: as for ALLOCATE. */
copse_code copse_match_between (copse_engine *engine, copse_request *request, uint64_t job,
                                int64_t from, int64_t before, const char *format,
                                copse_result *result, copse_error *error);

typedef COPSE_ENUM (copse_verdict) {
  COPSE_FITS = 0,
  COPSE_NOT_NOW = 1,
  COPSE_NEVER = 2,
  COPSE_WRONG = 3 /* the request itself is invalid */
} copse_verdict;
/* Explains why a request would get nothing now, as "text" or "json" (docs/reference/explanations.md).
 * Grants nothing. `text` may be NULL. Cost: a failed match, and one check of every candidate. */
copse_code copse_explain (copse_engine *engine, copse_request *request, const char *format,
                          copse_verdict *verdict, char **text, size_t *length, copse_error *error);

/* --- Grants ------------------------------------------------------------------------------------ */

/* Grants resources that another program chose: an R, or JGF. A duration of 0: that of the R, else no end. A
 * start below 0: that of the R, else now. Errors: EXISTS; INVALID; NOT_FOUND (the machine does not have
 * them); INSUFFICIENT (they are not free). */
copse_code copse_update (copse_engine *engine, uint64_t job, const char *resources, size_t length,
                         int64_t start, int64_t duration, copse_error *error);
/* Frees all resources of a job. Errors: NOT_FOUND. O(its pools). */
copse_code copse_cancel (copse_engine *engine, uint64_t job, copse_error *error);
/* Frees the job's resources that an R or JGF names, or those on some ranks, "0-3,7". `gone` (may be NULL):
 * nothing is left, and the job is removed. Errors: NOT_FOUND; INVALID (the job has none of them). */
copse_code copse_cancel_part (copse_engine *engine, uint64_t job, const char *resources,
                              size_t length, bool *gone, copse_error *error);
copse_code copse_cancel_ranks (copse_engine *engine, uint64_t job, const char *ranks, bool *gone,
                               copse_error *error);
/* Sets the end of a job's grant. Errors: NOT_FOUND; INVALID (the time); INSUFFICIENT (a reservation has
 * some of its resources before that time). */
copse_code copse_set_end (copse_engine *engine, uint64_t job, int64_t end, copse_error *error);
/* Moves a job's reservation to the earliest time in [from, before), if that is earlier. `moved` may be
 * NULL. */
copse_code copse_move_earlier (copse_engine *engine, uint64_t job, copse_request *request,
                               int64_t from, int64_t before, bool *moved, copse_error *error);
/* The grant of a job; `format` and `result` as in copse_match(). Errors: NOT_FOUND. */
copse_code copse_grant (copse_engine *engine, uint64_t job, const char *format,
                        copse_result *result, copse_error *error);
/* All jobs with a grant, ascending. The caller frees the list. */
copse_code copse_jobs (copse_engine *engine, uint64_t **jobs, size_t *count, copse_error *error);

/* --- The machine of an engine ------------------------------------------------------------------
 * `where` is a path ("/cluster0/rack0/node3"), ranks ("0-3") or host names ("node[0-3]"). */

typedef COPSE_ENUM (copse_status) {
  COPSE_UP = 0,
  COPSE_DEGRADED = 1, /* still used */
  COPSE_FAILING = 2,  /* running jobs continue, no job starts */
  COPSE_DOWN = 3,
  COPSE_UNKNOWN = 4
} copse_status;
/* Sets the status of pools; it applies to all pools below them too. Errors: NOT_FOUND, INVALID. */
copse_code copse_set_status (copse_engine *engine, const char *where, copse_status status,
                             copse_error *error);
/* The status of the first pool that `where` names: its own, not that of pools above it. */
copse_code copse_get_status (copse_engine *engine, const char *where, copse_status *status,
                             copse_error *error);
copse_code copse_set_property (copse_engine *engine, const char *where, const char *key,
                               const char *value, copse_error *error);
/* Tags pools (RFC 4): a key, and a value or NULL. Tags are kept in saves, and in JGF. Errors: NOT_FOUND, INVALID. */
copse_code copse_set_tag (copse_engine *engine, const char *where, const char *key, const char *value,
                          copse_error *error);
/* The first pool that `where` names, as a JSON object: "path", "type", "basename", "name", "id", "uuid", "size",
 * "unit", "rank", "status", "properties", "tags", "subsystems". Errors: NOT_FOUND. */
copse_code copse_pool (copse_engine *engine, const char *where, char **json, size_t *length,
                       copse_error *error);
/* Adds the pools of the JGF that the machine does not have. Errors: INVALID, EXISTS (none is new). */
copse_code copse_grow (copse_engine *engine, const char *jgf, size_t length, copse_error *error);
/* Removes pools, with all pools below them. Jobs lose their resources there; `jobs` (may be NULL, the
 * caller frees it) lists these jobs. */
copse_code copse_shrink (copse_engine *engine, const char *where, uint64_t **jobs, size_t *count,
                         copse_error *error);
/* The pools for which an expression is true (docs/reference/find.md). None: an empty text. `format` as in
 * copse_match(), or "graph": these pools and those above them as a machine in JGF, with tags and the edges of all
 * subsystems. */
copse_code copse_find (copse_engine *engine, const char *expression, const char *format,
                       char **text, size_t *length, copse_error *error);
/* Counts of free, allocated and down resources, as "text" or "json" (docs/tools/copse.md). O(pools). */
copse_code copse_usage (copse_engine *engine, const char *format, char **text, size_t *length,
                        copse_error *error);

/* --- Hierarchical resources (docs/reference/hierarchical-resources.md) -------------------------
 * A resource and its nodes, a hostlist, name a layer. */

/* Adds the resources and layers of a resources.yaml. Errors: INVALID with line and column, EXISTS, LIMIT. */
copse_code copse_supply_add (copse_engine *engine, const char *yaml, size_t length,
                             copse_error *error);
copse_code copse_supply_remove (copse_engine *engine, const char *resource, const char *nodes,
                                copse_error *error);
copse_code copse_supply_set_count (copse_engine *engine, const char *resource, const char *nodes,
                                   int64_t count, copse_error *error);
copse_code copse_supply_set_nodes (copse_engine *engine, const char *resource, const char *nodes,
                                   const char *to, copse_error *error);

typedef struct copse_layer_reservation {
  size_t size;
  const char *id, *resource, *nodes;
  int64_t count;
  int64_t start, end;
  const uint64_t *jobs; /* the jobs that may use it */
  size_t job_count;
} copse_layer_reservation;
#define COPSE_LAYER_RESERVATION_INIT {sizeof (copse_layer_reservation), NULL, NULL, NULL, 1, 0, 0, NULL, 0}
copse_code copse_supply_reserve (copse_engine *engine, const copse_layer_reservation *reservation,
                                 copse_error *error);
copse_code copse_supply_free (copse_engine *engine, const char *id, copse_error *error);
/* All layers at a time, as `layers` in docs/tools/session.md. Errors: INVALID (a past time). */
copse_code copse_supply_layers (copse_engine *engine, int64_t at, char **json, size_t *length,
                                copse_error *error);

/* --- Effects -----------------------------------------------------------------------------------
 * The results of all changes, as a stream of bytes that begins with the state. An engine that replays the
 * stream has the same fingerprint and gives the same next answers. */

typedef struct copse_sink {
  size_t size;
  void *context;
  /* Called during the call that makes the change. Keep the bytes, in order. The sink may use all handles
   * except those in use. */
  void (*write) (void *context, const char *bytes, size_t length);
} copse_sink;
#define COPSE_SINK_INIT {sizeof (copse_sink), NULL, NULL}
/* Sends effects to a sink from now on, after the present state. NULL: stops. */
copse_code copse_observe (copse_engine *engine, const copse_sink *sink, copse_error *error);
/* Makes an engine from a stream. If the last record is incomplete, the stream ends before it. `records` (may
 * be NULL): the number of records read. Errors: INVALID. */
copse_code copse_replay (const char *bytes, size_t length, copse_engine **engine,
                         uint64_t *records, copse_error *error);

/* --- Queues ------------------------------------------------------------------------------------
 * Jobs that wait for an engine's resources, run and end. The queue has no clock: the caller reports events,
 * calls copse_queue_work() and reads the decisions (docs/develop/queue.md). While a queue exists, only it
 * changes the engine: other calls that would change the engine get COPSE_BUSY. */
typedef struct copse_queue copse_queue;

typedef struct copse_queue_options {
  size_t size;
  const char *discipline; /* fcfs, easy, hybrid, conservative, or a plugin: ./own.so; NULL: easy */
  const char *priority;   /* fifo, smallest, largest, age, fair-share, multifactor; NULL: fifo */
  uint64_t depth;         /* jobs examined in a pass; 0: all */
  const char *config;     /* TOML as for `copse plan --queues`, instead of the members above; NULL: none */
} copse_queue_options;
#define COPSE_QUEUE_OPTIONS_INIT {sizeof (copse_queue_options), NULL, NULL, 0, NULL}

/* Errors: NOT_FOUND (a word), INVALID (the configuration, with line and column), BUSY (the engine has a
 * queue). */
copse_code copse_queue_new (copse_engine *engine, const copse_queue_options *options,
                            copse_queue **queue, copse_error *error);
/* Running jobs keep their grants in the engine. */
copse_code copse_queue_free (copse_queue *queue);
/* Makes the same queue over a clone of its engine. Decisions that were not read stay with the original. */
copse_code copse_queue_clone (copse_queue *queue, copse_queue **clone, copse_engine **engine,
                              copse_error *error);

typedef struct copse_job {
  size_t size;
  uint64_t id; /* below 2^63 */
  int64_t submitted;
  int64_t duration;        /* 0: no end; below 0: that of the jobspec */
  int64_t priority;
  const char *queue;       /* NULL: the queue without a name */
  const char *user;        /* NULL: none */
  const char *reservation; /* NULL: none */
  const char *jobspec;     /* or `shape` */
  size_t jobspec_length;
  const char *shape;
  bool held;
} copse_job;
#define COPSE_JOB_INIT {sizeof (copse_job), 0, 0, -1, 0, NULL, NULL, NULL, NULL, COPSE_TERMINATED, NULL, false}

/* Events. Errors: NOT_FOUND (job, queue); INVALID (the state of the job; times). O(log jobs). */
copse_code copse_queue_submit (copse_queue *queue, const copse_job *job, copse_error *error);
copse_code copse_queue_cancel (copse_queue *queue, uint64_t job, copse_error *error);
copse_code copse_queue_hold (copse_queue *queue, uint64_t job, copse_error *error);
copse_code copse_queue_release (copse_queue *queue, uint64_t job, copse_error *error);
copse_code copse_queue_set_priority (copse_queue *queue, uint64_t job, int64_t priority,
                                     copse_error *error);
copse_code copse_queue_set_duration (copse_queue *queue, uint64_t job, int64_t duration,
                                     copse_error *error);
copse_code copse_queue_set_end (copse_queue *queue, uint64_t job, int64_t end, copse_error *error);
copse_code copse_queue_ended (copse_queue *queue, uint64_t job, int64_t at, copse_error *error);
copse_code copse_queue_set_stopped (copse_queue *queue, const char *name, bool stopped,
                                    copse_error *error);
copse_code copse_queue_set_status (copse_queue *queue, const char *where, copse_status status,
                                   copse_error *error);
/* Sets a queue's discipline, and the number of jobs examined in a pass (0: all), from the next pass on. */
copse_code copse_queue_set_discipline (copse_queue *queue, const char *name, const char *discipline,
                                       uint64_t depth, copse_error *error);
/* Adds a job that already runs on the resources of an R or JGF, after a restart of the caller. Its request is these
 * resources. `end` 0: none. Promises that conflict with it are made again. Errors: as for submit and copse_update();
 * INVALID (its end has passed). */
copse_code copse_queue_adopt (copse_queue *queue, const copse_job *job, const char *resources, size_t length,
                              int64_t end, copse_error *error);
/* A running job has freed the resources that an R or JGF names. `gone` (may be NULL): nothing is left, and the job
 * ended. */
copse_code copse_queue_ended_part (copse_queue *queue, uint64_t job, const char *resources, size_t length, bool *gone,
                                   copse_error *error);
/* As copse_grow() and copse_shrink(). Running jobs lose the removed resources; waiting jobs whose request can no
 * longer be met are denied. */
copse_code copse_queue_grow (copse_queue *queue, const char *jgf, size_t length, copse_error *error);
copse_code copse_queue_shrink (copse_queue *queue, const char *where, uint64_t **jobs, size_t *count,
                               copse_error *error);
/* Adds and changes a reservation of nodes: a JSON object as in `copse plan --reservations` (docs/tools/plan.md),
 * {"name": "maintenance", "start": 7200, "duration": "4h", "nodes": "node[0-3]"}. `jobs` (may be NULL, the caller frees
 * it) lists the jobs that still run when it starts; they keep their nodes. Errors: INVALID, EXISTS, NOT_FOUND. */
copse_code copse_queue_reserve (copse_queue *queue, const char *json, size_t length, uint64_t **jobs, size_t *count,
                                copse_error *error);
copse_code copse_queue_change_reservation (copse_queue *queue, const char *json, size_t length, uint64_t **jobs,
                                           size_t *count, copse_error *error);
/* Jobs that wait in the reservation are denied. */
copse_code copse_queue_cancel_reservation (copse_queue *queue, const char *name, copse_error *error);
/* Report jobs that ended by `time` before, or right after: the clock moves when the last of these ends is reported, or with
 * the next call that works or tells anything else. A job past its end keeps its resources, up to a minute at a time. */
copse_code copse_queue_advance (copse_queue *queue, int64_t time, copse_error *error);

/* Examines `looks` waiting jobs; 0: all. `done` (may be NULL): nothing is left to do now. */
copse_code copse_queue_work (copse_queue *queue, uint64_t looks, bool *done, copse_error *error);

typedef COPSE_ENUM (copse_decided) {
  COPSE_STARTED = 0,   /* it runs; copse_grant() gives its resources */
  COPSE_PROMISED = 1,  /* it is promised a start */
  COPSE_WITHDRAWN = 2, /* its promise is withdrawn */
  COPSE_DENIED = 3,    /* it can never start, and was removed; `text` says why */
  COPSE_STUCK = 4      /* it waits, but fits at no time in the present state */
} copse_decided;
typedef struct copse_decision {
  size_t size;
  copse_decided what;
  copse_code code; /* for DENIED and STUCK */
  uint64_t job;
  int64_t start, end; /* for STARTED; PROMISED: start only */
  char text[1024];    /* one sentence; truncated if longer */
} copse_decision;
#define COPSE_DECISION_INIT {sizeof (copse_decision), COPSE_STARTED, COPSE_OK, 0, 0, 0, {0}}
/* Takes the oldest decision that was not taken yet. Errors: NOT_FOUND (there is none). */
copse_code copse_queue_next (copse_queue *queue, copse_decision *decision, copse_error *error);
/* The next time at which the queue itself changes something, in copse_queue_advance(). Errors: NOT_FOUND (there is
 * none). */
copse_code copse_queue_next_time (copse_queue *queue, int64_t *time, copse_error *error);

typedef struct copse_queue_info {
  size_t size;
  uint64_t waiting, running;
  uint64_t sequence; /* while it does not change, the answers do not */
} copse_queue_info;
#define COPSE_QUEUE_INFO_INIT {sizeof (copse_queue_info), 0, 0, 0}
copse_code copse_queue_describe (copse_queue *queue, copse_queue_info *info, copse_error *error);

typedef COPSE_ENUM (copse_job_state) {
  COPSE_JOB_HELD = 0,
  COPSE_JOB_WAITING = 1,
  COPSE_JOB_PROMISED = 2,
  COPSE_JOB_RUNNING = 3
} copse_job_state;
/* Errors: NOT_FOUND, also for a job that ended. */
copse_code copse_queue_state (copse_queue *queue, uint64_t job, copse_job_state *state,
                              copse_error *error);
/* Explains why a job waits and what would help, as "text" or "json". Errors: NOT_FOUND; INVALID (it runs).
 * Cost: after a change, the first call plans all waiting jobs; later calls reuse that plan. */
copse_code copse_queue_why (copse_queue *queue, uint64_t job, const char *format, char **text,
                            size_t *length, copse_error *error);
/* The start of a job, if nothing else happens; an estimate if more than 1,000 jobs start before it. Errors: as above;
 * INSUFFICIENT (it fits at no time in the present state). */
copse_code copse_queue_when (copse_queue *queue, uint64_t job, int64_t *start, copse_error *error);

#ifdef __cplusplus
}
#endif

#endif /* COPSE_H */
