/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a resource may be used: the names and numbers of Fluxion's C API. */
#ifndef RESOURCE_STATUS_H
#define RESOURCE_STATUS_H

/* In C++ it may have any number, as in C. */
#ifdef __cplusplus
typedef enum resource_status_t : unsigned int { RESOURCE_UP = 0, RESOURCE_DOWN = 1 } resource_status_t;
#else
typedef enum resource_status_t { RESOURCE_UP = 0, RESOURCE_DOWN = 1 } resource_status_t;
#endif

#endif /* RESOURCE_STATUS_H */
