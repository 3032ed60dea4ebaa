/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copse in C: a machine, what runs on it, and a queue of jobs before it. Link with -lcopse.
 *
 *   copse_machine *machine; copse_engine *engine; copse_request *request; copse_result result = COPSE_RESULT_INIT;
 *   copse_machine_load ("desk.graphml", NULL, &machine, NULL);
 *   copse_engine_new (machine, NULL, &engine, NULL);
 *   copse_request_shape (engine, "slot=1/core=4", NULL, &request, NULL);
 *   if (copse_match (engine, COPSE_ALLOCATE, request, 1, "rv1_nosched", &result, NULL) == COPSE_OK) puts (result.text);
 *
 * examples/c has a whole program; docs/library/c.md explains.
 *
 * Errors     Every function returns a code, COPSE_OK if it did what it says. If `error` is not NULL, a
 *            failure fills it: code, a sentence, the place in the text. A failure changes nothing, unless
 *            the function says otherwise. Outputs are written on success only.
 * Handles    Opaque; never look behind the pointer, it is a number. A function looks at each handle that
 *            it is given. NULL, freed, foreign and invented handles get COPSE_BAD_HANDLE. There are at most
 *            1,000,000 at a time.
 * Structs    Each begins with its size: begin with the COPSE_..._INIT of its name. Later versions add
 *            members at the end. Programs compiled with an older header go on working.
 * Texts in   `length` bytes, or COPSE_TERMINATED for a text that ends with a zero byte. Names and other
 *            words always end with one. The library keeps no pointer that it is given, except for sinks.
 * Texts out  Allocated for the caller, who gives them to copse_free(). They end with a zero byte, which
 *            `length` does not count; `length` may be NULL.
 * Units      Times are whole seconds of the engine's clock. A duration of 0 has no end. Amounts are units of
 *            a pool: cores, GPUs, gigabytes.
 * Jobs       Numbers that the caller gives; 0 is nobody.
 * Threads    Any thread may call. A handle that another thread is using gets COPSE_BUSY, at once; so does
 *            one that is used from within its own sink. Different handles do not wait for each other. An
 *            engine is in use while its queue is.
 * Cost       Next to the engine's own (docs/performance.md), a call costs some 50 ns.
 */
#ifndef COPSE_H
#define COPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In C++ an enumeration may then have any number, as it may in C. */
#ifdef __cplusplus
#define COPSE_ENUM(name) enum name : unsigned int
#else
#define COPSE_ENUM(name) enum name
#endif

/* --- Errors ------------------------------------------------------------------------------------ */

typedef COPSE_ENUM (copse_code) {
  COPSE_OK = 0,
  COPSE_INVALID = 1,      /* the input breaks a rule; the sentence names it */
  COPSE_LIMIT = 2,        /* the input asks for more than a bound allows */
  COPSE_NOT_FOUND = 3,    /* a path, job, file or name that does not exist */
  COPSE_EXISTS = 4,       /* a name or job that is taken already */
  COPSE_INSUFFICIENT = 5, /* not now: the request would fit an empty machine */
  COPSE_INFEASIBLE = 6,   /* never: it does not fit even an empty machine */
  COPSE_UNSUPPORTED = 7,  /* understood, but not done by this version */
  COPSE_IO = 8,           /* the operating system refused a file */
  COPSE_BAD_HANDLE = 9,   /* NULL, freed, of another kind, or never a handle */
  COPSE_BUSY = 10,        /* in use: by another thread, by its own sink, by a queue */
  COPSE_NO_MEMORY = 11,
  COPSE_INTERNAL = 12     /* a fault of Copse; handles of this call may be unusable */
} copse_code;

typedef struct copse_error {
  size_t size;
  copse_code code;
  uint32_t line, column; /* in the text, from 1; 0: unknown */
  char file[256];        /* as the caller named it; cut if it is longer */
  char text[1024];       /* one sentence; cut if it is longer */
} copse_error;
#define COPSE_ERROR_INIT {sizeof (copse_error), COPSE_OK, 0, 0, {0}, {0}}

/* A stable word for a code: "insufficient"; "unknown" for a number that is none. Never freed. */
const char *copse_word (copse_code code);
/* "0.1.0". Never freed. */
const char *copse_version (void);
/* Frees what a function allocated for the caller. NULL is fine. */
void copse_free (void *memory);

#define COPSE_TERMINATED SIZE_MAX

/* --- Machines ---------------------------------------------------------------------------------- */

/* A machine as it was read: never changed, and shared by the engines made of it. */
typedef struct copse_machine copse_machine;

typedef struct copse_machine_options {
  size_t size;
  const char *format;    /* grug, jgf, rv1exec, hwloc, slurm_conf, slurm_nodes; NULL: told by the text */
  const char *file;      /* what messages call the text; NULL: nothing */
  const char *allowlist; /* of hwloc: types to keep, separated by commas; NULL: all */
  const char *subsystem; /* that is matched; NULL: containment */
  bool layouts;          /* of an R: read TreePool's locality domains, for COPSE_TREEPOOL */
} copse_machine_options;
#define COPSE_MACHINE_OPTIONS_INIT {sizeof (copse_machine_options), NULL, NULL, NULL, NULL, false}

/* From a file (gzip too), or a folder of hwloc topologies. Formats: docs/reference/formats.md.
 * Errors: IO, LIMIT, INVALID with the place, UNSUPPORTED (a format). O(text + pools). */
copse_code copse_machine_load (const char *path, const copse_machine_options *options,
                               copse_machine **machine, copse_error *error);
/* From memory. Errors and cost: as above. */
copse_code copse_machine_read (const char *text, size_t length, const copse_machine_options *options,
                               copse_machine **machine, copse_error *error);
/* The machine as JGF. O(pools · depth). */
copse_code copse_machine_write (copse_machine *machine, char **text, size_t *length,
                                copse_error *error);
/* Pools and units of a type; 0 and 0 if it has none; NULL: all pools. O(pools). */
copse_code copse_machine_count (copse_machine *machine, const char *type, uint64_t *pools,
                                uint64_t *units, copse_error *error);
copse_code copse_machine_free (copse_machine *machine);

/* --- Engines ----------------------------------------------------------------------------------- */

/* A machine, what runs on it and what is reserved. */
typedef struct copse_engine copse_engine;

typedef COPSE_ENUM (copse_traverser) {
  COPSE_SIMPLE = 0,     /* one pass, as Fluxion's */
  COPSE_FLEXIBLE = 1,   /* slots beside each other are alternatives */
  COPSE_LOOP_AWARE = 2, /* simple, and a search where that finds nothing */
  COPSE_TREEPOOL = 3    /* RFC 49; the machine must have been read with `layouts` */
} copse_traverser;

typedef struct copse_engine_options {
  size_t size;
  const char *policy;        /* docs/reference/policies.md; NULL: first */
  const char *prune_filters; /* NULL: ALL:core,ALL:node */
  const char *auxiliary;     /* subsystems that are drawn from, separated by commas; NULL: none */
  int64_t now;               /* what the clock shows */
  int64_t horizon;           /* its end; 0: a hundred years from now */
  copse_traverser traverser;
  bool counts_nodes_first; /* tells never from not now as Fluxion does, under a constraint */
} copse_engine_options;
#define COPSE_ENGINE_OPTIONS_INIT \
  {sizeof (copse_engine_options), NULL, NULL, NULL, 0, 0, COPSE_LOOP_AWARE, false}

/* Errors: NOT_FOUND (policy, subsystem), INVALID (prune filters, times). O(pools). */
copse_code copse_engine_new (copse_machine *machine, const copse_engine_options *options,
                             copse_engine **engine, copse_error *error);
/* Its requests live on, and serve no more. An engine with a queue lives as long as the queue. */
copse_code copse_engine_free (copse_engine *engine);
/* A second engine in the same state. Requests are those of one engine. Costs the parts that are
 * written later, not the machine. */
copse_code copse_engine_clone (copse_engine *engine, copse_engine **clone, copse_error *error);
/* All state as bytes, and back. Later versions read what earlier ones saved. What is loaded gives the
 * same answers. Errors of load: INVALID (damaged), UNSUPPORTED (of a later version), LIMIT,
 * NOT_FOUND (its policy). O(machine + grants). */
copse_code copse_engine_save (copse_engine *engine, char **bytes, size_t *length,
                              copse_error *error);
copse_code copse_engine_load (const char *bytes, size_t length, copse_engine **engine,
                              copse_error *error);
/* Equal states have equal fingerprints. O(pools). */
copse_code copse_engine_fingerprint (copse_engine *engine, uint64_t *fingerprint,
                                     copse_error *error);

typedef struct copse_engine_info {
  size_t size;
  int64_t now, horizon;
  uint64_t grants; /* jobs that run or are reserved */
  uint64_t pools;
  uint64_t bytes; /* of memory, for machine and state */
} copse_engine_info;
#define COPSE_ENGINE_INFO_INIT {sizeof (copse_engine_info), 0, 0, 0, 0, 0}
copse_code copse_engine_describe (copse_engine *engine, copse_engine_info *info,
                                  copse_error *error);
/* Moves the clock. What ended by then is over; what starts by then runs. Errors: INVALID (back, or
 * beyond the horizon). */
copse_code copse_advance (copse_engine *engine, int64_t time, copse_error *error);

/* --- Requests ---------------------------------------------------------------------------------- */

/* A request compiled for one engine. It may be matched any number of times. */
typedef struct copse_request copse_request;

typedef struct copse_request_options {
  size_t size;
  const char *file;       /* what messages call the text */
  int64_t duration;       /* of a shape; 0: no end */
  const char *constraint; /* of a shape: RFC 31, as JSON; NULL: none */
  const char *hres;       /* of a shape: hierarchical resources, "flat:2"; NULL: none */
} copse_request_options;
#define COPSE_REQUEST_OPTIONS_INIT {sizeof (copse_request_options), NULL, 0, NULL, NULL}

/* Of a jobspec, YAML or JSON (docs/reference/jobspecs.md). Errors: INVALID with the place, LIMIT,
 * NOT_FOUND (a type that the machine does not have). O(text), and a look at nodes for a constraint. */
copse_code copse_request_new (copse_engine *engine, const char *text, size_t length,
                              const copse_request_options *options, copse_request **request,
                              copse_error *error);
/* Of a shape, "slot=4/node=2{x}/[core=8;gpu]" (RFC 46). */
copse_code copse_request_shape (copse_engine *engine, const char *shape,
                                const copse_request_options *options, copse_request **request,
                                copse_error *error);
/* Asks for another duration from now on. O(1). */
copse_code copse_request_set_duration (copse_request *request, int64_t duration,
                                       copse_error *error);
copse_code copse_request_free (copse_request *request);

/* --- Matches ----------------------------------------------------------------------------------- */

typedef COPSE_ENUM (copse_operation) {
  COPSE_ALLOCATE = 0,                     /* now, or not at all */
  COPSE_ALLOCATE_WITH_SATISFIABILITY = 1, /* the same; a failure tells never from not now */
  COPSE_ALLOCATE_ORELSE_RESERVE = 2,      /* now, or at the earliest time */
  COPSE_SATISFIABILITY = 3,               /* would it fit the empty machine? */
  COPSE_WITHOUT_ALLOCATING = 4,           /* what ALLOCATE would give; nothing is granted */
  COPSE_WITHOUT_ALLOCATING_FUTURE = 5     /* what ALLOCATE_ORELSE_RESERVE would give */
} copse_operation;

typedef struct copse_result {
  size_t size;
  int64_t start, end; /* start after the engine's clock: a reservation */
  int64_t slots;      /* of COPSE_TREEPOOL; else 0 */
  uint64_t visits;    /* pools that were visited */
  char *text;         /* what it got, in the format that was asked for; the caller frees it */
  size_t text_length;
} copse_result;
#define COPSE_RESULT_INIT {sizeof (copse_result), 0, 0, 0, 0, NULL, 0}

/* Matches, and grants to `job` what it finds. `format`: simple, pretty_simple, jgf, jgf_shorthand,
 * rlite, rv1, rv1_nosched, rv1_shorthand; NULL: no text. `result` may be NULL.
 * Errors: INSUFFICIENT; INFEASIBLE, by the operations that find out; EXISTS (the job has a grant);
 * INVALID (the duration; nothing in it that this format can name: then nothing is granted). */
copse_code copse_match (copse_engine *engine, copse_operation operation, copse_request *request,
                        uint64_t job, const char *format, copse_result *result,
                        copse_error *error);
/* Grants at the earliest time of [from, before) at which it fits. Errors: as of ALLOCATE. */
copse_code copse_match_between (copse_engine *engine, copse_request *request, uint64_t job,
                                int64_t from, int64_t before, const char *format,
                                copse_result *result, copse_error *error);

typedef COPSE_ENUM (copse_verdict) {
  COPSE_FITS = 0,
  COPSE_NOT_NOW = 1,
  COPSE_NEVER = 2,
  COPSE_WRONG = 3 /* the request itself */
} copse_verdict;
/* Why it would get nothing now, as "text" or "json" (docs/reference/explanations.md). Grants
 * nothing. `text` may be NULL. Costs a match that fails and a look at all candidates. */
copse_code copse_explain (copse_engine *engine, copse_request *request, const char *format,
                          copse_verdict *verdict, char **text, size_t *length, copse_error *error);

/* --- Grants ------------------------------------------------------------------------------------ */

/* Grants what was chosen elsewhere: an R, or JGF. Duration 0: what the R says, else no end. A start
 * below 0: what the R says, else now. Errors: EXISTS; INVALID; NOT_FOUND (what the machine does not have);
 * INSUFFICIENT (what is not free). */
copse_code copse_update (copse_engine *engine, uint64_t job, const char *resources, size_t length,
                         int64_t start, int64_t duration, copse_error *error);
/* Gives back all that a job has. Errors: NOT_FOUND. O(what it has). */
copse_code copse_cancel (copse_engine *engine, uint64_t job, copse_error *error);
/* Gives back what an R or JGF names; or all on some ranks, "0-3,7". `gone` (may be NULL): nothing is
 * left, and the job is over. Errors: NOT_FOUND; INVALID (it has nothing of it). */
copse_code copse_cancel_part (copse_engine *engine, uint64_t job, const char *resources,
                              size_t length, bool *gone, copse_error *error);
copse_code copse_cancel_ranks (copse_engine *engine, uint64_t job, const char *ranks, bool *gone,
                               copse_error *error);
/* It has its resources until then. Errors: NOT_FOUND; INVALID (the time); INSUFFICIENT (others have
 * something of it before that). */
copse_code copse_set_end (copse_engine *engine, uint64_t job, int64_t end, copse_error *error);
/* Moves its reservation to the earliest time of [from, before) that is earlier. `moved` may be NULL. */
copse_code copse_move_earlier (copse_engine *engine, uint64_t job, copse_request *request,
                               int64_t from, int64_t before, bool *moved, copse_error *error);
/* What a job has; `format` and `result` as of copse_match(). Errors: NOT_FOUND. */
copse_code copse_grant (copse_engine *engine, uint64_t job, const char *format,
                        copse_result *result, copse_error *error);
/* All jobs that have a grant, ascending; the caller frees the list. */
copse_code copse_jobs (copse_engine *engine, uint64_t **jobs, size_t *count, copse_error *error);

/* --- The machine of an engine ------------------------------------------------------------------
 * `where` is a path ("/cluster0/rack0/node3"), ranks ("0-3") or host names ("node[0-3]"). */

typedef COPSE_ENUM (copse_status) {
  COPSE_UP = 0,
  COPSE_DEGRADED = 1, /* used all the same */
  COPSE_FAILING = 2,  /* what runs goes on, nothing new starts */
  COPSE_DOWN = 3,
  COPSE_UNKNOWN = 4
} copse_status;
/* Of pools, which counts for all below them. Errors: NOT_FOUND, INVALID. */
copse_code copse_set_status (copse_engine *engine, const char *where, copse_status status,
                             copse_error *error);
/* Of the first pool that `where` names: its own; not of pools above it. */
copse_code copse_get_status (copse_engine *engine, const char *where, copse_status *status,
                             copse_error *error);
copse_code copse_set_property (copse_engine *engine, const char *where, const char *key,
                               const char *value, copse_error *error);
/* Adds what the JGF has and the machine has not. Errors: INVALID, EXISTS (nothing is new). */
copse_code copse_grow (copse_engine *engine, const char *jgf, size_t length, copse_error *error);
/* Takes pools off, with all below them. Jobs lose what they have there; `jobs` (may be NULL, the caller
 * frees it) are those that lost something. */
copse_code copse_shrink (copse_engine *engine, const char *where, uint64_t **jobs, size_t *count,
                         copse_error *error);
/* Pools for which an expression holds (docs/reference/find.md). Nothing found: an empty text. */
copse_code copse_find (copse_engine *engine, const char *expression, const char *format,
                       char **text, size_t *length, copse_error *error);
/* What is free, allocated and down, as "text" or "json" (docs/tools/copse.md). O(pools). */
copse_code copse_usage (copse_engine *engine, const char *format, char **text, size_t *length,
                        copse_error *error);

/* --- Hierarchical resources (docs/reference/hierarchical-resources.md) -------------------------
 * A layer is named by its resource and its nodes, a hostlist. */

/* Adds resources and layers of a resources.yaml. Errors: INVALID with the place, EXISTS, LIMIT. */
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
  const uint64_t *jobs; /* for whom it is kept */
  size_t job_count;
} copse_layer_reservation;
#define COPSE_LAYER_RESERVATION_INIT {sizeof (copse_layer_reservation), NULL, NULL, NULL, 1, 0, 0, NULL, 0}
copse_code copse_supply_reserve (copse_engine *engine, const copse_layer_reservation *reservation,
                                 copse_error *error);
copse_code copse_supply_free (copse_engine *engine, const char *id, copse_error *error);
/* All layers at a time, as `layers` of docs/tools/session.md. Errors: INVALID (a time that is over). */
copse_code copse_supply_layers (copse_engine *engine, int64_t at, char **json, size_t *length,
                                copse_error *error);

/* --- Effects -----------------------------------------------------------------------------------
 * What each change did, as a stream of bytes. It begins with the state. Applied to an equal engine, it
 * makes it equal again: same fingerprint, same next answers. */

typedef struct copse_sink {
  size_t size;
  void *context;
  /* Called from within the call that made the change. Keep the bytes, in order. The sink may use any
   * handle but those in use. */
  void (*write) (void *context, const char *bytes, size_t length);
} copse_sink;
#define COPSE_SINK_INIT {sizeof (copse_sink), NULL, NULL}
/* From now on; the state is written at once. NULL ends it. */
copse_code copse_observe (copse_engine *engine, const copse_sink *sink, copse_error *error);
/* The engine of a stream that begins with its state. A stream that was torn ends before the tear.
 * `records` (may be NULL): those that were read. Errors: INVALID. */
copse_code copse_replay (const char *bytes, size_t length, copse_engine **engine,
                         uint64_t *records, copse_error *error);

/* --- Queues ------------------------------------------------------------------------------------
 * Jobs that wait for an engine's resources, run and end. The queue has no clock: tell it what
 * happens, let it work, and take its decisions (docs/develop/queue.md). While it lives, only the queue
 * changes the engine: calls that would change it get COPSE_BUSY. */
typedef struct copse_queue copse_queue;

typedef struct copse_queue_options {
  size_t size;
  const char *discipline; /* fcfs, easy, hybrid, conservative; NULL: easy */
  const char *priority;   /* fifo, smallest, largest, age, fair-share, multifactor; NULL: fifo */
  uint64_t depth;         /* jobs looked at in a pass; 0: all */
  const char *config;     /* TOML as of `copse plan --queues`, in place of all this; NULL: none */
} copse_queue_options;
#define COPSE_QUEUE_OPTIONS_INIT {sizeof (copse_queue_options), NULL, NULL, 0, NULL}

/* Errors: NOT_FOUND (a word), INVALID (the configuration, with the place), BUSY (it has a queue). */
copse_code copse_queue_new (copse_engine *engine, const copse_queue_options *options,
                            copse_queue **queue, copse_error *error);
/* What runs keeps its grants, in the engine. */
copse_code copse_queue_free (copse_queue *queue);
/* The same queue over a clone of its engine. Decisions not yet taken stay with the original. */
copse_code copse_queue_clone (copse_queue *queue, copse_queue **clone, copse_engine **engine,
                              copse_error *error);

typedef struct copse_job {
  size_t size;
  uint64_t id; /* below 2^63 */
  int64_t submitted;
  int64_t duration;        /* 0: without end; below 0: what the jobspec says */
  int64_t priority;
  const char *queue;       /* NULL: the one without a name */
  const char *user;        /* NULL: nobody */
  const char *reservation; /* NULL: none */
  const char *jobspec;     /* or a shape */
  size_t jobspec_length;
  const char *shape;
  bool held;
} copse_job;
#define COPSE_JOB_INIT {sizeof (copse_job), 0, 0, -1, 0, NULL, NULL, NULL, NULL, COPSE_TERMINATED, NULL, false}

/* Events. Errors: NOT_FOUND (job, queue); INVALID (it runs, or does not; times). O(log jobs). */
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
/* Tell what ended by then before: a job that was to end keeps what it has, a minute at a time. */
copse_code copse_queue_advance (copse_queue *queue, int64_t time, copse_error *error);

/* Looks at `looks` waiting jobs; 0: at all. `done` (may be NULL): there is nothing left to do now. */
copse_code copse_queue_work (copse_queue *queue, uint64_t looks, bool *done, copse_error *error);

typedef COPSE_ENUM (copse_decided) {
  COPSE_STARTED = 0,   /* it runs; copse_grant() says with what */
  COPSE_PROMISED = 1,  /* it is promised this start */
  COPSE_WITHDRAWN = 2, /* it is promised none any more */
  COPSE_DENIED = 3,    /* it will never start, and has left; `text` says why */
  COPSE_STUCK = 4      /* it fits at no time, as things are, and waits */
} copse_decided;
typedef struct copse_decision {
  size_t size;
  copse_decided what;
  copse_code code; /* of DENIED and STUCK */
  uint64_t job;
  int64_t start, end; /* of STARTED; start of PROMISED */
  char text[1024];    /* one sentence; cut if it is longer */
} copse_decision;
#define COPSE_DECISION_INIT {sizeof (copse_decision), COPSE_STARTED, COPSE_OK, 0, 0, 0, {0}}
/* The next decision that was not taken yet, in the order they were made. NOT_FOUND: there is none. */
copse_code copse_queue_next (copse_queue *queue, copse_decision *decision, copse_error *error);
/* When something happens by itself, that copse_queue_advance() brings about. NOT_FOUND: never. */
copse_code copse_queue_next_time (copse_queue *queue, int64_t *time, copse_error *error);

typedef struct copse_queue_info {
  size_t size;
  uint64_t waiting, running;
  uint64_t sequence; /* the same number, the same answers */
} copse_queue_info;
#define COPSE_QUEUE_INFO_INIT {sizeof (copse_queue_info), 0, 0, 0}
copse_code copse_queue_describe (copse_queue *queue, copse_queue_info *info, copse_error *error);

typedef COPSE_ENUM (copse_job_state) {
  COPSE_JOB_HELD = 0,
  COPSE_JOB_WAITING = 1,
  COPSE_JOB_PROMISED = 2,
  COPSE_JOB_RUNNING = 3
} copse_job_state;
/* Errors: NOT_FOUND, as for a job that ended. */
copse_code copse_queue_state (copse_queue *queue, uint64_t job, copse_job_state *state,
                              copse_error *error);
/* Why it waits, and what would help, as "text" or "json". Errors: NOT_FOUND; INVALID (it runs).
 * After a change, the first answer plans all waiting jobs; further ones are quick. */
copse_code copse_queue_why (copse_queue *queue, uint64_t job, const char *format, char **text,
                            size_t *length, copse_error *error);
/* Its start, if nothing else happens. Errors: as above; INSUFFICIENT: at no time, as things are. */
copse_code copse_queue_when (copse_queue *queue, uint64_t job, int64_t *start, copse_error *error);

#ifdef __cplusplus
}
#endif

#endif /* COPSE_H */
