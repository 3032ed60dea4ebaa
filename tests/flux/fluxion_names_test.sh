#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Copse under the names of Fluxion's modules: the requests of `flux ion-resource`, jobs, options.
# Flux's own alloc-check watches each R.
#
# usage: fluxion_names_test.sh FLUX NAMES
#   FLUX   the command flux
#   NAMES  the folder with sched-fluxion-*.so, which are sched-copse.so
# Exit status 77: there is no Flux here.
set -eu
flux=${1-} names=${2-}
[ -x "$flux" ] || { echo 'skipped: there is no Flux'; exit 77; }

if [ "${3-}" != inside ]; then
  PATH=$(dirname "$flux"):$PATH
  export PATH FLUX_MODULE_PATH_PREPEND="$names" FLUX_SCHED_MODULE=none
  # An instance of its own, also where the test runs in one.
  env -u FLUX_URI timeout 1000 flux start -s1 --conf=fake-resources.nnodes=4 \
    --conf=fake-resources.cores-per-node=4 --conf=fake-resources.host-prefix=n \
    bash "$0" "$flux" "$names" inside
  exit
fi

. "$(dirname "$0")/common.sh"

flux jobtap load alloc-check.so
! flux module load sched-fluxion-resource nonsense=1 2> /dev/null || failed 'a wrong option is accepted'
! flux module load sched-fluxion-resource policy=poem 2> /dev/null || failed 'a wrong policy is accepted'
! flux module load sched-fluxion-qmanager 2> /dev/null || failed 'a qmanager without resources'
flux module load sched-fluxion-resource load-allowlist=node,core,gpu match-policy=lonode
flux module load sched-fluxion-feasibility load-allowlist=node,core,gpu

flux python - << 'END'
import flux, json
h = flux.Flux()
S = "sched-fluxion-resource."

def ask(topic, payload=None, **how):
    return h.rpc(topic, payload, **how).get()

def refused(number, topic, payload=None):
    try:
        ask(topic, payload)
    except OSError as error:
        assert error.errno == number, f"{topic}: {error}"
        return
    raise AssertionError(f"{topic} is not refused")

def jobspec(cores):
    return {"version": 1, "resources": [{"type": "node", "count": 1, "with": [
        {"type": "slot", "count": 1, "label": "task", "with": [{"type": "core", "count": cores}]}]}],
        "tasks": [{"command": ["a"], "slot": "task", "count": {"per_slot": 1}}],
        "attributes": {"system": {"duration": 3600}}}

def match(command, job, cores):
    return {"cmd": command, "jobid": job, "jobspec": json.dumps(jobspec(cores))}

assert ask(S + "params")["params"]["policy"] == "lonode"
assert ask(S + "next_jobid") == {"jobid": 0}
got = ask(S + "match", match("allocate", 0, 2))
assert got["status"] == "ALLOCATED" and json.loads(got["R"])["execution"]["nodelist"] == ["n0"]
refused(22, S + "match", match("allocate", 0, 2))
refused(16, S + "match", match("allocate", 1, 9))
refused(19, S + "match", match("allocate_with_satisfiability", 1, 9))
refused(71, S + "match", {"cmd": "allocate"})
assert ask(S + "info", {"jobid": 0})["status"] == "ALLOCATED"
stream = h.rpc(S + "match_multi", {"cmd": "allocate", "jobs": [
    {"jobid": 20, "jobspec": jobspec(1)}, {"jobid": 21, "jobspec": jobspec(9)}]}, flags=2)
assert stream.get()["jobid"] == 20
stream.reset()
try:
    raise AssertionError(stream.get())
except OSError as error:
    assert error.errno == 16 and "jobid=21" in str(error)
assert ask(S + "update", {"jobid": 0, "R": got["R"]})["jobid"] == 0
assert ask(S + "find", {"criteria": "status=down"}) == {"R": None}
assert ask(S + "status")["allocated"]["execution"]["nodelist"] == ["n0"]
assert ask(S + "stats-get")["V"] == 21
assert ask(S + "stats-clear") is None
ask(S + "set_property", {"sp_resource_path": ["/cluster0/n0"], "sp_keyval": "a=b"})
assert ask(S + "get_property", {"gp_resource_path": "/cluster0/n0", "gp_key": "a"}) == {"values": ["b"]}
ask(S + "set_status", {"resource_path": "/cluster0/n3", "status": "down"})
assert ask(S + "find", {"criteria": "status=down"})["R"]["execution"]["nodelist"] == ["n3"]
ask(S + "set_status", {"resource_path": "/cluster0/n3", "status": "up"})
assert ask(S + "ns-info", {"rank": 0, "type-name": "core", "id": 1}) == {"id": 1}
assert ask(S + "partial-cancel", {"jobid": 0, "R": got["R"]}) == {"full-removal": 1}
assert ask(S + "cancel", {"jobid": 20}) == {}
refused(2, S + "cancel", {"jobid": 20})
refused(71, S + "notify")
news = h.rpc(S + "notify", flags=2)
assert news.get()["resources"]["execution"]["nodelist"] == ["n[0-3]"]
news.reset()
assert news.get()["up"] == "0-3"
assert ask("feasibility.check", {"jobspec": jobspec(4)}) is None
refused(19, "feasibility.check", {"jobspec": jobspec(5)})
refused(22, "feasibility.check", {"jobspec": {}})
END

# Jobs, on the same engine; options of scripts that load Fluxion.
flux module load sched-fluxion-qmanager queue-policy=easy queue-params=queue-depth=64
id=$(flux submit -N4 --setattr=system.exec.test.run_duration=600s -t 1000s true)
event "$id" alloc
wait=$(flux submit -N1 --setattr=system.exec.test.run_duration=0.1s -t 60s true)
flux python - << 'END'
import flux
h = flux.Flux()
stats = h.rpc("sched-fluxion-qmanager.stats-get").get()["queues"]["default"]
assert stats["policy"] == "easy" and stats["queue_depth"] == 64, stats
assert stats["action_counts"]["running"] == 1, stats
assert stats["scheduled_queues"]["running"][0].startswith("f"), stats
params = h.rpc("sched-fluxion-qmanager.params").get()["params"]
assert params["queue-params"] == "queue-depth=64" and params["default"]["queue-policy"] == "easy", params
allocated = h.rpc("sched-fluxion-resource.status").get()["allocated"]
assert allocated["execution"]["nodelist"] == ["n[0-3]"], allocated
END
# A qmanager that is loaded again takes over running jobs.
flux module reload sched-fluxion-qmanager
until_same 'the state after a reload' RUN of "$id" state
flux cancel "$id"
event "$wait" clean
# As in Fluxion's rc3: qmanager first.
flux module remove sched-fluxion-qmanager
late=$(flux submit -n1 --setattr=system.exec.test.run_duration=0.1s true)
flux module reload sched-fluxion-feasibility
flux module load sched-fluxion-qmanager queue-policy=poem
in_log() { flux dmesg | grep -q "$1"; }
until_true 'a warning of a policy' in_log 'Unknown queuing policy (poem)! Using default.'
event "$late" clean
flux module remove sched-fluxion-qmanager
flux module remove sched-fluxion-resource
until_true 'the end of feasibility' in_log 'exiting due to sched-fluxion-resource.notify failure'
# A scheduler answers feasibility.check, too.
flux module load sched-simple
again() { flux module load sched-fluxion-feasibility 2>&1 || :; }
again | grep -q 'File exists' || failed 'a second service for feasibility'
flux module remove sched-simple

no_exceptions
echo passed
