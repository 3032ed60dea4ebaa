/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a resource, with the names and numbers of Fluxion's C API. */
#ifndef RESOURCE_STATUS_H
#define RESOURCE_STATUS_H

/* As in C, the enumeration may have any number in C++. */
#ifdef __cplusplus
typedef enum resource_status_t : unsigned int { RESOURCE_UP = 0, RESOURCE_DOWN = 1 } resource_status_t;
#else
typedef enum resource_status_t { RESOURCE_UP = 0, RESOURCE_DOWN = 1 } resource_status_t;
#endif

#endif /* RESOURCE_STATUS_H */
