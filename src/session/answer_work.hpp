// SPDX-License-Identifier: Apache-2.0
//
// AnswerWork: what a request needs before it can be answered, in steps, so that other clients are
// answered in between. It is done on a copy of the state.
//
//   session.answer(request, caller, answer);      // caller.in_steps: sets answer.work, or answers
//   while (!answer.work->step()) answer_others();
//   caller.work = answer.work;
//   session.answer(request, caller, answer);      // answers with what the work has found
//
// What others changed meanwhile is looked at by the second call.
#pragma once

namespace copse {

class AnswerWork {
 public:
  virtual ~AnswerWork() = default;
  // True: done. REQUIRES that it was not before.
  virtual bool step() = 0;
};

}  // namespace copse
