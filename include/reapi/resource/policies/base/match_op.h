/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a match, with the names and numbers of Fluxion's C API. */
#ifndef MATCH_OP_H
#define MATCH_OP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in C, the enumeration may have any number in C++. */
#ifdef __cplusplus
typedef enum match_op_t : unsigned int {
#else
typedef enum match_op_t {
#endif
  MATCH_UNKNOWN = 0,
  MATCH_ALLOCATE = 1,                  /* now, or not at all */
  MATCH_ALLOCATE_W_SATISFIABILITY = 2, /* the same; the errno tells never (ENODEV) from not now (EBUSY) */
  MATCH_ALLOCATE_ORELSE_RESERVE = 3,   /* now, or at the earliest time */
  MATCH_SATISFIABILITY = 4,            /* whether it fits the empty machine */
  MATCH_WITHOUT_ALLOCATING = 5,        /* the result of MATCH_ALLOCATE; allocates nothing */
  MATCH_WITHOUT_ALLOCATING_FUTURE = 6, /* the result of MATCH_ALLOCATE_ORELSE_RESERVE */
  END_MATCH_OP_T = 7
} match_op_t;

/* "allocate", …; NULL with errno EINVAL (out of range) or ENOENT (MATCH_UNKNOWN). Never freed. */
const char *match_op_to_string (match_op_t op);
/* MATCH_UNKNOWN with errno EINVAL (NULL) or ENOENT (an unknown name). */
match_op_t match_op_from_string (const char *str);
/* Whether it is one of 1 to 6. Does not change errno. */
bool match_op_valid (match_op_t op);

#ifdef __cplusplus
}
#endif

#endif /* MATCH_OP_H */
