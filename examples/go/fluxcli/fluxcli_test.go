// SPDX-License-Identifier: Apache-2.0

package fluxcli

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// COPSE_EXAMPLES is the folder with machines and jobspecs; by default that around this one.
func read(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("COPSE_EXAMPLES")
	if folder == "" {
		folder = "../.."
	}
	text, err := os.ReadFile(folder + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Four nodes with ranks, which an R can name.
const four = `{"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-7"}}],
  "nodelist": ["node[0-3]"], "starttime": 0, "expiration": 0}}`

// All of them, for an hour.
const allFour = `{"version": 9999, "tasks": [{"command": ["app"], "slot": "task", "count": {"per_slot": 1}}],
  "attributes": {"system": {"duration": 3600}}, "resources": [{"type": "slot", "count": 4, "label": "task", "with":
    [{"type": "node", "count": 1, "with": [{"type": "core", "count": 8}]}]}]}`

func client(t *testing.T, machine string, options string) *ReapiClient {
	t.Helper()
	cli := NewReapiClient()
	t.Cleanup(cli.Destroy)
	if err := cli.InitContext(machine, options); err != nil {
		t.Fatal(err)
	}
	return cli
}

func TestAllocateReserveCancel(t *testing.T) {
	cli := client(t, four, `{"matcher_policy": "lonode", "match_format": "rv1_nosched"}`)
	jobspec := allFour
	first, err := cli.MatchAllocate(false, jobspec)
	if err != nil || first.Jobid != 1 || first.Reserved || first.At != 0 {
		t.Fatalf("%+v %v", first, err)
	}
	if !strings.Contains(first.Allocated, `"nodelist": ["node[0-3]"]`) {
		t.Error(first.Allocated)
	}
	if _, err = cli.MatchAllocate(false, jobspec); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("a full machine: %v", err)
	}
	later, err := cli.MatchAllocate(true, jobspec)
	if err != nil || !later.Reserved || later.At == 0 {
		t.Errorf("%+v %v", later, err)
	}
	if mode, reserved, at, err := cli.Info(later.Jobid); mode != "RESERVED" || !reserved || at != later.At || err != nil {
		t.Error(mode, reserved, at, err)
	}
	if err = cli.Cancel(first.Jobid, false); err != nil {
		t.Error(err)
	}
	if mode, _, _, _ := cli.Info(first.Jobid); mode != "CANCELED" {
		t.Error(mode)
	}
	if err = cli.Cancel(99, false); !errors.Is(err, syscall.ENOENT) || !strings.Contains(err.Error(), "nonexistent job") {
		t.Error(err)
	}
	if err = cli.Cancel(99, true); err != nil {
		t.Error(err)
	}
}

func TestUpdateAndPartialCancel(t *testing.T) {
	cli := client(t, four, `{"match_format": "rv1_nosched"}`)
	whole, err := cli.MatchAllocate(false, allFour)
	if err != nil {
		t.Fatal(err)
	}
	twin := client(t, four, `{"match_format": "rv1_nosched"}`)
	booked, err := twin.UpdateAllocate(7, whole.Allocated)
	if err != nil || booked.Jobid != 7 {
		t.Fatalf("%+v %v", booked, err)
	}
	if _, err = twin.UpdateAllocate(7, whole.Allocated); !errors.Is(err, syscall.EEXIST) {
		t.Error(err)
	}
	full, err := twin.PartialCancel(7, whole.Allocated, false)
	if err != nil || !full {
		t.Error(full, err)
	}
}

// As Fluence reads it: cores before their node.
func TestJgfAsFluenceReadsIt(t *testing.T) {
	cli := client(t, read(t, "machines/desk.graphml"), `{"matcher_policy": "lonode"}`)
	match, err := cli.MatchAllocate(false, read(t, "jobspecs/desk-whole-node.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var jgf struct {
		Graph struct {
			Nodes []struct {
				Metadata struct {
					Type string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(match.Allocated), &jgf); err != nil {
		t.Fatal(err)
	}
	cores := 0
	for _, node := range jgf.Graph.Nodes {
		if node.Metadata.Type == "core" {
			cores++
		}
		if node.Metadata.Type == "node" {
			if cores != 8 {
				t.Errorf("%d cores before their node", cores)
			}
			return
		}
	}
	t.Error("there is no node")
}

func TestSatisfyAndErrors(t *testing.T) {
	cli := client(t, read(t, "machines/desk.graphml"), "{}")
	if sat, err := cli.MatchSatisfy(read(t, "jobspecs/desk-whole-desk.yaml")); !sat || err != nil {
		t.Error(sat, err)
	}
	five := strings.Replace(read(t, "jobspecs/desk-whole-desk.yaml"), "count: 4", "count: 5", 1)
	if sat, err := cli.MatchSatisfy(five); sat || err != nil {
		t.Error(sat, err)
	}
	if _, err := cli.Match(MatchAllocate, "not: [a, jobspec"); !errors.Is(err, syscall.EINVAL) {
		t.Error(err)
	}
	if _, err := cli.Match(MatchType(42), five); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "Invalid Match Option") {
		t.Error(err)
	}
	if message := cli.GetErrMsg(); message != "" {
		t.Error(message)
	}
	empty := NewReapiClient()
	defer empty.Destroy()
	if err := empty.InitContext("", ""); err == nil {
		t.Error("a machine of nothing")
	}
	if !empty.HasContext() {
		t.Error("a client stays usable")
	}
}
