// SPDX-License-Identifier: Apache-2.0

// Package fluxcli calls Fluxion's C API from Go, with the names that clients of fluxion-go know. It is built
// without a change with Fluxion's libreapi_cli.so, or with Copse's:
//
//	export CGO_CFLAGS=$(pkg-config --cflags copse-reapi) CGO_LDFLAGS=$(pkg-config --libs copse-reapi)
//	go test ./...
//
// A client is for one goroutine at a time; different clients do not disturb each other.
package fluxcli

/*
#cgo LDFLAGS: -lreapi_cli
#include <stdlib.h>
#include "resource/reapi/bindings/c/reapi_cli.h"
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"
)

// MatchType says what a match does with what it finds.
type MatchType int

const (
	MatchAllocate                MatchType = C.MATCH_ALLOCATE
	MatchAllocateWithSatisfy     MatchType = C.MATCH_ALLOCATE_W_SATISFIABILITY
	MatchAllocateOrElseReserve   MatchType = C.MATCH_ALLOCATE_ORELSE_RESERVE
	MatchSatisfiability          MatchType = C.MATCH_SATISFIABILITY
	MatchWithoutAllocating       MatchType = C.MATCH_WITHOUT_ALLOCATING
	MatchWithoutAllocatingFuture MatchType = C.MATCH_WITHOUT_ALLOCATING_FUTURE
)

// ReapiClient is a machine, and what runs on it.
type ReapiClient struct {
	ctx *C.struct_reapi_cli_ctx
}

// Match is what a job got. At is 0 for a job that starts now.
type Match struct {
	Jobid     uint64
	Reserved  bool
	Allocated string
	At        int64
	Overhead  float64
}

// NewReapiClient makes a client. Destroy frees it.
func NewReapiClient() *ReapiClient {
	return &ReapiClient{ctx: C.reapi_cli_new()}
}

func (cli *ReapiClient) HasContext() bool { return cli.ctx != nil }

// Destroy frees what the client has. It may be called twice.
func (cli *ReapiClient) Destroy() {
	if cli.ctx != nil {
		C.reapi_cli_destroy(cli.ctx)
		cli.ctx = nil
	}
}

// failed is an error with the library's sentence and errno, or nil; the sentence is then forgotten.
func (cli *ReapiClient) failed(call string, code C.int, errno error) error {
	if code == 0 {
		return nil
	}
	text := cli.GetErrMsg()
	cli.ClearErrMsg()
	return fmt.Errorf("%s: %w: %s", call, errno, text)
}

// taken is a string of the library, which is freed.
func taken(text *C.char) string {
	defer C.free(unsafe.Pointer(text))
	return C.GoString(text)
}

// InitContext reads a machine, the text of JGF, R, GRUG or hwloc. Options are a JSON object such as
// {"matcher_policy": "lonode"}.
func (cli *ReapiClient) InitContext(graph string, options string) error {
	cGraph, cOptions := C.CString(graph), C.CString(options)
	defer C.free(unsafe.Pointer(cGraph))
	defer C.free(unsafe.Pointer(cOptions))
	code, errno := C.reapi_cli_initialize(cli.ctx, cGraph, cOptions)
	return cli.failed("initialize", code, errno)
}

// Match matches a jobspec, YAML or JSON.
func (cli *ReapiClient) Match(matchType MatchType, jobspec string) (Match, error) {
	cJobspec := C.CString(jobspec)
	defer C.free(unsafe.Pointer(cJobspec))
	var jobid C.uint64_t
	var reserved C.bool
	var r *C.char
	var at C.int64_t
	var overhead C.double
	code, errno := C.reapi_cli_match(cli.ctx, C.match_op_t(matchType), cJobspec, &jobid, &reserved, &r, &at, &overhead)
	return Match{uint64(jobid), bool(reserved), taken(r), int64(at), float64(overhead)}, cli.failed("match", code, errno)
}

// MatchAllocate grants a jobspec from now on; or, if orelseReserve, at the earliest time.
func (cli *ReapiClient) MatchAllocate(orelseReserve bool, jobspec string) (Match, error) {
	if orelseReserve {
		return cli.Match(MatchAllocateOrElseReserve, jobspec)
	}
	return cli.Match(MatchAllocate, jobspec)
}

// MatchSatisfy tells whether the empty machine could serve a jobspec. That it could not is no error.
func (cli *ReapiClient) MatchSatisfy(jobspec string) (bool, error) {
	cJobspec := C.CString(jobspec)
	defer C.free(unsafe.Pointer(cJobspec))
	var sat C.bool
	var overhead C.double
	code, errno := C.reapi_cli_match_satisfy(cli.ctx, cJobspec, &sat, &overhead)
	if err := cli.failed("satisfy", code, errno); err != nil && errno != syscall.ENODEV {
		return false, err
	}
	return bool(sat), nil
}

// UpdateAllocate books what an R says for a job; it gives R again.
func (cli *ReapiClient) UpdateAllocate(jobid uint64, r string) (Match, error) {
	cR := C.CString(r)
	defer C.free(unsafe.Pointer(cR))
	var out *C.char
	var at C.int64_t
	var overhead C.double
	code, errno := C.reapi_cli_update_allocate(cli.ctx, C.uint64_t(jobid), cR, &at, &overhead, &out)
	return Match{jobid, false, taken(out), int64(at), float64(overhead)}, cli.failed("update", code, errno)
}

// Cancel frees an allocation or reservation. With noentOk, an unknown job is no error.
func (cli *ReapiClient) Cancel(jobid uint64, noentOk bool) error {
	code, errno := C.reapi_cli_cancel(cli.ctx, C.uint64_t(jobid), C.bool(noentOk))
	return cli.failed("cancel", code, errno)
}

// PartialCancel frees what an R names of an allocation; true if nothing of it is left.
func (cli *ReapiClient) PartialCancel(jobid uint64, r string, noentOk bool) (bool, error) {
	cR := C.CString(r)
	defer C.free(unsafe.Pointer(cR))
	var full C.bool
	code, errno := C.reapi_cli_partial_cancel(cli.ctx, C.uint64_t(jobid), cR, C.bool(noentOk), &full)
	return bool(full), cli.failed("partial cancel", code, errno)
}

// Info is the state of a job: ALLOCATED, RESERVED, CANCELED.
func (cli *ReapiClient) Info(jobid uint64) (mode string, reserved bool, at int64, err error) {
	var cMode *C.char
	var cReserved C.bool
	var cAt C.int64_t
	var overhead C.double
	code, errno := C.reapi_cli_info(cli.ctx, C.uint64_t(jobid), &cMode, &cReserved, &cAt, &overhead)
	return taken(cMode), bool(cReserved), int64(cAt), cli.failed("info", code, errno)
}

// GetErrMsg has the sentences since the last ClearErrMsg.
func (cli *ReapiClient) GetErrMsg() string {
	return taken((*C.char)(unsafe.Pointer(C.reapi_cli_get_err_msg(cli.ctx))))
}

func (cli *ReapiClient) ClearErrMsg() { C.reapi_cli_clear_err_msg(cli.ctx) }
