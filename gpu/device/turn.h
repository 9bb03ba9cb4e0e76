/* Whose turn it is on a device: one search at a time on each, searches on several at the same time.
**
**     connection A   --turn on 0-->  job on 0
**     connection B   --turn on 1-->  job on 1             beside it
**     connection C   --turn on 0 . . waits . . -->  job on 0
**
** Whoever takes several takes them in ascending order, so that of those who wait for each other one
** always goes on. */
#ifndef GPUGRAPH_TURN_H
#define GPUGRAPH_TURN_H

#include "base/run.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GG_MAX_DEVICES = 16 }; /* ordinals beyond are refused */

/* Waits in short steps, so that an interrupt is felt. False: run->status says why; a thread that has
** this turn, or that of a later device, is told so. */
bool gg_turn_take(gpugraph_run *run, int ordinal);
/* For a step that cannot be interrupted, and waits for no other device. False: this thread has that
** turn already. */
bool gg_turn_wait(int ordinal);
void gg_turn_end(int ordinal);
/* The last device that this thread has a turn on; negative: none. */
int gg_turn_of_thread(void);

#ifdef __cplusplus
}
#endif
#endif
